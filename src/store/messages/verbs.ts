/** What the store does about messages on their way out. */

import type { MessageStore } from '../../core/messages/message-store.ts'
import { BatchedReads } from '../engine/batched-reads.ts'
import type { Ground } from '../engine/ground.ts'
import * as cancellations from './cancellations.ts'
import * as claims from './claims.ts'
import * as endings from './endings.ts'
import * as lastDevice from './last-device.ts'
import { messageList } from './message-list.ts'
import * as messages from './messages.ts'
import * as receipts from './receipts.ts'
import { fallDue, nextDue } from './schedule.ts'
import * as transfers from './transfers.ts'
import { underWay } from './under-way.ts'

export function messageVerbs({ reader, unsyncedReader, now, run, write }: Ground): MessageStore {
  const acquaintances = new BatchedReads((asked: lastDevice.Acquaintance[]) =>
    lastDevice.lastDevices(unsyncedReader, asked),
  )
  return {
    accept: (accepted, keep) => run(messages.accept, accepted, keep),
    fallDue: write(fallDue),
    nextDue: () => nextDue(reader),
    claim: (deviceId, limit, { epoch = 0, except = [] } = {}) =>
      run(claims.claim, { deviceId, epoch, limit, except }),
    pull: (deviceId, registration, limit) => run(claims.pull, { deviceId, registration, limit }),
    release: write(claims.release),
    adopt: (deviceId, epoch) => run(claims.adopt, { deviceId, epoch }),
    record: write(receipts.record),
    expire: write(endings.expire),
    transfer: write(transfers.transfer),
    abandon: (deviceId, limit) => run(endings.abandon, { deviceId, limit }),
    unhold: write(messages.unhold),
    message: (environmentId, id) => messages.message(reader, environmentId, id),
    messages: (environmentId, filter) => messageList(reader, environmentId, filter),
    cancel: (environmentId, id, ask, keep) => run(cancellations.cancel, { environmentId, id, ask }, keep),
    unanswered: (deviceId, afterSeq, limit) => claims.unanswered(reader, deviceId, afterSeq, limit),
    unacknowledged: (deviceId, registration, limit) =>
      claims.unacknowledged(reader, deviceId, registration, now(), limit),
    slowToAcknowledge: before => claims.slowToAcknowledge(reader, before, now()),
    toCancel: (limit, deviceId) => cancellations.toCancel(reader, now(), limit, deviceId),
    movable: (deviceId, limit, onlyStrangers) => transfers.movable(reader, deviceId, limit, onlyStrangers),
    heldCount: () => messages.heldCount(reader),
    lastDevice: (environmentId, number, since) => acquaintances.ask({ environmentId, number, since }),
    underWay: environmentId => underWay(reader, environmentId),
    oldestWaiting: () => messages.oldestWaiting(reader),
  }
}
