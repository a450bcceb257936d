/** Port: what nodes know of each other, and who holds what. */

import type { Awaitable } from '../lib/awaitable.ts'
import type { Node } from './node.ts'

export type Beat = {
  node: string
  version?: string
  startedAt?: number
  /** Leases it would like to hold: those that are free are taken along. */
  wants?: readonly string[]
}

export type Beaten = {
  /** The database's time. */
  now: number
  /** Somebody asked it to drain. */
  isDraining: boolean
  /** What it holds of what it wants, each with its epoch. */
  held: ReadonlyMap<string, number>
}

export type LeaseRecord = { name: string; node: string | null; epoch: number; takenAt: number }

export interface NodeStore {
  /** The time by the database's clock. */
  now(): number
  /** Renews the node's lease. */
  beat(beat: Beat): Promise<Beaten>
  /** The living and those that died lately. */
  nodes(): Awaitable<Node[]>
  /** Notes that a node ends of its own accord: its devices are offline, and all it held is free. */
  leave(node: string): Promise<void>
  /** Forgets a dead node: all it held is free, and its devices wait for the next. If that is not certain, only once its lease has ended. */
  buryNode(node: string, isCertain: boolean): Promise<void>
  /** Asks a node to hand over what it holds. False: there is none of that name. */
  drainNode(node: string): Promise<boolean>
  /** Takes those that nobody alive holds, and anew those that the node holds. Returns their epochs, which have grown. */
  takeLeases(node: string, names: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** The same for links of devices, which are from now on at this node. By device. */
  takeLinks(node: string, deviceIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Frees what it holds of these, so that others take it at once. */
  letGo(node: string, names: readonly string[]): Promise<void>
  leases(): Awaitable<LeaseRecord[]>
}
