/**
 * What one node holds at a time: the link of a device, a webhook, the background loops. The node's own lease says for how
 * long; the epoch grows whenever something changes hands. A write that carries an old epoch does nothing.
 */

import { Problem } from '../problem.ts'

export type Lease = {
  epoch: number
  /** Whether this node may act on it: false as soon as another might have taken it. */
  isHeld(): boolean
}

export const deviceLease = (deviceId: string): string => `device:${deviceId}`
export const webhookLease = (webhookId: string): string => `webhook:${webhookId}`
/** Whoever holds it sweeps, schedules, counts and forgets, for all nodes. */
export const loopsLease = 'loops'

/** Another node holds it by now: nothing was written. */
export class LeaseLost extends Problem {
  constructor(name: string) {
    super('storage_unavailable', `Another node holds ${name} now.`)
  }
}
