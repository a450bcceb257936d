/** A gateway process among those that work on one database. */

export type Node = {
  name: string
  version: string
  startedAt: number
  seenAt: number
  /** By the database's clock: it renewed its lease lately. */
  isAlive: boolean
  /** It hands over what it holds, and ends soon. */
  isDraining: boolean
}

/** A node that has not renewed its lease for so long is taken for dead, and others take what it held. */
export const nodeLeaseMs = 6_000

/** By which people name it: short, and unlike that of any other. */
export const nodeIdOf = (name: string): string => name.split('/').at(-1)!
