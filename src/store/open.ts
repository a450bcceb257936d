/** From an address to a store that is ready to use. */

import { resolve } from 'node:path'
import { requestWindowMs, type Store } from '../core/store.ts'
import * as audit from './access/audit.ts'
import { forgetAnswers, keepAnswer, keptAnswer } from './access/kept-responses.ts'
import * as keys from './access/keys.ts'
import { countRequests } from './access/rate-windows.ts'
import * as secrets from './access/secrets.ts'
import * as users from './access/users.ts'
import * as devices from './devices/devices.ts'
import { enrol } from './devices/enrolments.ts'
import * as phones from './devices/phones.ts'
import * as vault from './devices/vault.ts'
import { BatchedReads } from './engine/batched-reads.ts'
import type { Driver } from './engine/driver.ts'
import { StorageFault } from './engine/driver.ts'
import { Group, type GroupOptions } from './engine/group.ts'
import { migrate, newestVersion, schemaVersion } from './engine/migrate.ts'
import { PostgresDriver } from './engine/postgres.ts'
import { probe } from './engine/probe.ts'
import { SqliteDriver } from './engine/sqlite.ts'
import type { Verb } from './engine/verb.ts'
import { noteRemoved, removedFiles } from './files/removed-files.ts'
import { amend } from './inbox/amendments.ts'
import * as conversations from './inbox/conversations.ts'
import * as received from './inbox/received.ts'
import * as told from './journal/deliveries.ts'
import { events, journalHead, seqBefore, story, tellable } from './journal/events.ts'
import { tallies, tally } from './journal/tallies.ts'
import * as hooks from './journal/webhooks.ts'
import * as cancellations from './messages/cancellations.ts'
import * as claims from './messages/claims.ts'
import * as endings from './messages/endings.ts'
import * as lastDevice from './messages/last-device.ts'
import { messageList } from './messages/message-list.ts'
import * as messages from './messages/messages.ts'
import * as receipts from './messages/receipts.ts'
import { fallDue, nextDue } from './messages/schedule.ts'
import * as transfers from './messages/transfers.ts'
import { underWay } from './messages/under-way.ts'
import { erase, noteErased } from './people/erasure.ts'
import * as people from './people/opt-outs.ts'
import { forgetTexts, removeOld } from './people/retention.ts'

/** `sqlite:path/to/file.db` or `postgres://…`. */
export function openDriver(url: string, isPatient = false): Driver {
  try {
    if (/^postgres(ql)?:\/\//.test(url)) return new PostgresDriver(url, isPatient)
    if (url.startsWith('sqlite:')) return new SqliteDriver(resolve(url.slice('sqlite:'.length)))
  } catch (error) {
    throw named(error, url)
  }
  throw new StorageFault(`DATABASE_URL must begin with sqlite: or postgres://, not ${url.split(':')[0]}:`)
}

/** Which database it was, without its password. */
function named(error: unknown, url: string): unknown {
  const shown = url.replace(/\/\/[^@/]*@/, '//').replace(/\?.*$/, '')
  const detail = `The database ${shown} cannot be used: ${(error as Error).message}`
  return new StorageFault(detail, { cause: error })
}

/** A step may work through a table of millions. */
async function migratePatiently(driver: Driver, url: string, now: () => number): Promise<void> {
  if (driver.dialect === 'sqlite' || (await schemaVersion(driver)) === newestVersion) {
    await migrate(driver, now)
    return
  }
  const patient = openDriver(url, true)
  try {
    await migrate(patient, now)
  } finally {
    await patient.close()
  }
}

export async function openStore(url: string, options: GroupOptions): Promise<Store> {
  const driver = openDriver(url)
  try {
    await migratePatiently(driver, url, options.now)
  } catch (error) {
    await driver.close()
    throw named(error, url)
  }
  return storeOn(driver, options)
}

export function storeOn(driver: Driver, options: GroupOptions): Store {
  const group = new Group(driver, options)
  const { reader } = driver
  let closed: Promise<void> | undefined
  const write =
    <Input, Output>(verb: Verb<Input, Output>) =>
    (input: Input): Promise<Output> =>
      group.run(verb, input)
  const acquaintances = new BatchedReads((asked: lastDevice.Acquaintance[]) =>
    lastDevice.lastDevices(reader, asked),
  )
  // SQLite serves one gateway, which counts in memory.
  const requests =
    driver.dialect === 'postgres'
      ? new BatchedReads((keyIds: string[]) => countRequests(reader, keyIds, requestWindowMs, options.now()))
      : undefined

  return {
    accept: (accepted, keep) => group.run(messages.accept, accepted, keep),
    fallDue: write(fallDue),
    nextDue: () => nextDue(reader),
    claim: (deviceId, limit, except = []) => group.run(claims.claim, { deviceId, limit, except }),
    pull: (deviceId, registration, limit) => group.run(claims.pull, { deviceId, registration, limit }),
    release: write(claims.release),
    record: write(receipts.record),
    expire: write(endings.expire),
    transfer: write(transfers.transfer),
    abandon: (deviceId, limit) => group.run(endings.abandon, { deviceId, limit }),
    unhold: write(messages.unhold),
    message: (environmentId, id) => messages.message(reader, environmentId, id),
    messages: (environmentId, filter) => messageList(reader, environmentId, filter),
    story: messageSeq => story(reader, messageSeq),
    cancel: (environmentId, id, ask, keep) =>
      group.run(cancellations.cancel, { environmentId, id, ask }, keep),
    unanswered: (deviceId, afterSeq, limit) => claims.unanswered(reader, deviceId, afterSeq, limit),
    unacknowledged: (deviceId, registration, limit) =>
      claims.unacknowledged(reader, deviceId, registration, options.now(), limit),
    slowToAcknowledge: before => claims.slowToAcknowledge(reader, before, options.now()),
    toCancel: limit => cancellations.toCancel(reader, options.now(), limit),
    movable: (deviceId, limit, onlyStrangers) => transfers.movable(reader, deviceId, limit, onlyStrangers),
    heldCount: () => messages.heldCount(reader),
    lastDevice: (environmentId, number, since) => acquaintances.ask({ environmentId, number, since }),

    receive: write(received.receive),
    amend: write(amend),
    inbox: (environmentId, filter) => received.inbox(reader, environmentId, filter),
    media: (environmentId, id) => received.media(reader, environmentId, id),

    conversations: (environmentId, filter) => conversations.conversations(reader, environmentId, filter),
    unreadConversations: (environmentId, limit) =>
      conversations.unreadConversations(reader, environmentId, limit),
    thread: (environmentId, person, page) => conversations.thread(reader, environmentId, person, page),
    readConversation: (environmentId, person) =>
      group.run(conversations.readConversation, { environmentId, person }),

    enrol: (draft, keep) => group.run(enrol, draft, keep),
    change: (deviceId, change) => group.run(devices.change, { deviceId, change }),
    retire: write(devices.retire),
    presence: (deviceId, node, online, insteadOf) =>
      group.run(devices.presence, { deviceId, node, online, insteadOf }),
    leave: write(devices.leave),
    beat: write(devices.beat),
    devices: () => devices.devices(reader),
    loads: () => devices.loads(reader),
    nodes: () => devices.nodes(reader),
    devicesVersion: () => devices.devicesVersion(reader),
    oldestWaiting: () => messages.oldestWaiting(reader),

    describe: (deviceId, description) => group.run(devices.describe, { deviceId, description }),

    invite: (deviceId, invitation, keep) => group.run(phones.invite, { deviceId, invitation }, keep),
    mayAdmit: proof => phones.mayAdmit(reader, proof, options.now()),
    admit: (proof, tokenHash) => group.run(phones.admit, { proof, tokenHash }),
    notePhone: (deviceId, note) => group.run(phones.notePhone, { deviceId, note }),
    phones: () => phones.phones(reader),
    phoneByToken: tokenHash => phones.phoneByToken(reader, tokenHash),
    phoneByHook: hook => phones.phoneByHook(reader, hook, options.now()),

    users: () => users.users(reader),
    userByEmail: email => users.userByEmail(reader, email),
    changeUser: (id, change) => group.run(users.changeUser, { id, change }),
    removeUser: write(users.removeUser),
    addTicket: write(users.addTicket),
    ticket: hash => users.ticket(reader, hash, options.now()),
    invitations: () => users.invitations(reader, options.now()),
    removeTicket: write(users.removeTicket),
    redeem: (hash, email, password) => group.run(users.redeem, { hash, email, password }),
    beginSession: write(users.beginSession),
    session: hash => users.session(reader, hash, options.now()),
    sessions: userId => users.sessions(reader, userId, options.now()),
    confirmSession: write(users.confirmSession),
    seeSession: write(users.seeSession),
    endSession: (userId, id) => group.run(users.endSession, { userId, id }),
    tryLogin: write(audit.tryLogin),
    forgiveLogin: write(audit.forgiveLogin),
    audit: write(audit.audit),
    auditRefusal: (id, refusal) => group.run(audit.auditRefusal, { id, refusal }),
    auditLog: page => audit.auditLog(reader, page),

    tally: write(tally),
    underWay: environmentId => underWay(reader, environmentId),
    tallies: (environmentId, since) => tallies(reader, environmentId, since),

    vaultRead: (deviceId, type, ids) => vault.vaultRead(reader, deviceId, type, ids),
    vaultList: (deviceId, type, range) => vault.vaultList(reader, deviceId, type, range),
    vaultWrite: (deviceId, changes) => group.run(vault.vaultWrite, { deviceId, changes }),
    vaultReplace: (deviceId, changes, but, keep) =>
      group.run(vault.vaultReplace, { deviceId, changes, but }, keep),
    vaultForget: (deviceId, type, before, but) =>
      group.run(vault.vaultForget, { deviceId, type, before, but }),

    addKey: (draft, hash, hint, keep) => group.run(keys.addKey, { draft, hash, hint }, keep),
    rotateKey: (rotation, keep) => group.run(keys.rotateKey, rotation, keep),
    revokeKey: write(keys.revokeKey),
    touchKey: write(keys.touchKey),
    key: hash => keys.key(reader, hash),
    keys: () => keys.keys(reader),
    environments: () => keys.environments(reader),
    configure: (environmentId, settings) => group.run(keys.configure, { environmentId, settings }),
    announce: write(keys.announce),
    announced: () => keys.announced(reader),
    sealing: () => secrets.sealing(reader),
    reseal: write(secrets.reseal),
    forgetSealed: write(secrets.forgetSealed),
    ...(requests && { countRequest: (keyId: string) => requests.ask(keyId) }),

    keptAnswer: key => keptAnswer(reader, key, options.now()),
    keepAnswer: keep => group.run(keepAnswer, keep, keep),
    forgetAnswers: write(forgetAnswers),

    addWebhook: (draft, keep) => group.run(hooks.addWebhook, draft, keep),
    changeWebhook: (environmentId, id, change) =>
      group.run(hooks.changeWebhook, { environmentId, id, change }),
    rotateWebhook: (environmentId, id, secret, previousUntil, keep) =>
      group.run(hooks.rotateWebhook, { environmentId, id, secret, previousUntil }, keep),
    removeWebhook: (environmentId, id) => group.run(hooks.removeWebhook, { environmentId, id }),
    clearRemoved: write(hooks.clearRemoved),
    webhooks: () => hooks.webhooks(reader),
    webhook: (environmentId, id) => hooks.webhook(reader, environmentId, id),
    holdWebhook: write(hooks.holdWebhook),
    letGoWebhooks: write(hooks.letGoWebhooks),
    settle: write(hooks.settle),
    dueDeliveries: (webhookId, limit) => told.dueDeliveries(reader, webhookId, options.now(), limit),
    nextDelivery: webhookId => told.nextDelivery(reader, webhookId),
    delivery: (webhookId, eventSeq) => told.delivery(reader, webhookId, eventSeq),
    deliveries: (webhookId, filter) => told.deliveries(reader, webhookId, filter),
    redeliver: (webhookId, eventSeq, keep) => group.run(told.redeliver, { webhookId, eventSeq }, keep),
    addReplay: (webhookId, afterSeq, untilSeq, keep) =>
      group.run(hooks.addReplay, { webhookId, afterSeq, untilSeq }, keep),
    nextReplay: webhookId => hooks.nextReplay(reader, webhookId),
    forgetDeliveries: (before, limit) => group.run(told.forgetDeliveries, { before, limit }),

    optOut: (environmentId, number, source, keep) =>
      group.run(people.optOut, { environmentId, number, source }, keep),
    sameOptOut: (environmentId, number, alias) =>
      group.run(people.sameOptOut, { environmentId, number, alias }),
    optIn: (environmentId, number) => group.run(people.optIn, { environmentId, number }),
    optOuts: (environmentId, page) => people.optOuts(reader, environmentId, page),
    optedOut: async (environmentId, numbers) => {
      const places = await people.optedOut(
        reader,
        numbers.map(number => ({ environmentId, number })),
      )
      return new Set(numbers.filter((_, place) => places.has(place)))
    },

    erase: write(erase),
    noteErased: (environmentId, counts) => group.run(noteErased, { environmentId, counts }),
    forgetTexts: write(forgetTexts),
    removeOld: write(removeOld),
    removedFiles: limit => removedFiles(reader, limit),
    noteRemoved: write(noteRemoved),

    events: (afterSeq, limit) => events(reader, afterSeq, limit),
    tellable: (afterSeq, limit) => tellable(reader, afterSeq, limit),
    journalHead: () => journalHead(reader),
    seqBefore: at => seqBefore(reader, at),

    ping: () => group.run(probe, undefined),
    close: () => {
      closed ??= driver.close()
      return closed
    },
  }
}
