/** What the store does about keys, people who sign in, secrets and kept answers. */

import type { KeyStore } from '../../core/access/key-store.ts'
import { requestWindowMs } from '../../core/access/key-store.ts'
import type { SecretStore } from '../../core/access/secret-store.ts'
import type { UserStore } from '../../core/access/user-store.ts'
import type { AnswerStore } from '../../core/idempotency.ts'
import { BatchedReads } from '../engine/batched-reads.ts'
import type { Ground } from '../engine/ground.ts'
import * as audit from './audit.ts'
import { forgetAnswers, keepAnswer, keptAnswer } from './kept-responses.ts'
import * as keys from './keys.ts'
import { countRequests } from './rate-windows.ts'
import * as secrets from './secrets.ts'
import * as users from './users.ts'

export function accessVerbs({
  dialect,
  reader,
  now,
  run,
  write,
}: Ground): KeyStore & UserStore & SecretStore & AnswerStore {
  // SQLite serves one gateway, which counts in memory.
  const requests =
    dialect === 'postgres'
      ? new BatchedReads((keyIds: string[]) => countRequests(reader, keyIds, requestWindowMs, now()))
      : undefined
  return {
    users: () => users.users(reader),
    userByEmail: email => users.userByEmail(reader, email),
    changeUser: (id, change) => run(users.changeUser, { id, change }),
    removeUser: write(users.removeUser),
    addTicket: write(users.addTicket),
    ticket: hash => users.ticket(reader, hash, now()),
    invitations: () => users.invitations(reader, now()),
    removeTicket: write(users.removeTicket),
    redeem: (hash, email, password) => run(users.redeem, { hash, email, password }),
    beginSession: write(users.beginSession),
    session: hash => users.session(reader, hash, now()),
    sessions: userId => users.sessions(reader, userId, now()),
    confirmSession: write(users.confirmSession),
    seeSession: write(users.seeSession),
    endSession: (userId, id) => run(users.endSession, { userId, id }),
    tryLogin: write(audit.tryLogin),
    forgiveLogin: write(audit.forgiveLogin),
    audit: write(audit.audit),
    auditRefusal: (id, refusal) => run(audit.auditRefusal, { id, refusal }),
    auditLog: page => audit.auditLog(reader, page),
    addKey: (draft, hash, hint, keep) => run(keys.addKey, { draft, hash, hint }, keep),
    rotateKey: (rotation, keep) => run(keys.rotateKey, rotation, keep),
    revokeKey: write(keys.revokeKey),
    touchKey: write(keys.touchKey),
    key: hash => keys.key(reader, hash),
    keys: environmentId => keys.keys(reader, environmentId),
    allKeys: () => keys.allKeys(reader),
    environments: () => keys.environments(reader),
    configure: (environmentId, settings) => run(keys.configure, { environmentId, settings }),
    announce: write(keys.announce),
    announced: () => keys.announced(reader),
    sealing: () => secrets.sealing(reader),
    reseal: write(secrets.reseal),
    forgetSealed: write(secrets.forgetSealed),
    ...(requests && { countRequest: (keyId: string) => requests.ask(keyId) }),
    keptAnswer: key => keptAnswer(reader, key, now()),
    keepAnswer: keep => run(keepAnswer, keep, keep),
    forgetAnswers: write(forgetAnswers),
  }
}
