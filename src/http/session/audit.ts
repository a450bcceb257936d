/** Notes what people and keys change, before they change it: nothing is done that nobody can look up later. */

import type { Key } from '../../core/access/key.ts'
import type { AuditDraft } from '../../core/access/user.ts'
import type { UserStore } from '../../core/access/user-store.ts'
import { limits } from '../../core/limits.ts'
import type { Problem } from '../../core/problem.ts'
import type { Exchange } from '../../edge/exchange.ts'
import { asProblem } from '../../edge/problems.ts'
import type { Answer } from '../../edge/site.ts'
import type { RequestLimits } from '../server/rate-limits.ts'

export type AuditParts = {
  audit: Pick<UserStore, 'audit' | 'auditRefusal'>
  /** Refusals cost nothing to cause: of one person or key, only the first few of a minute are worth a row. */
  refusals: RequestLimits
}

type Handler = (exchange: Exchange) => Promise<Answer>

/** What is to be known of a route. */
type Noted = {
  operation: string
  method: string
  isLook?: true
  /** The journal tells what keys do with it. */
  isTold?: true
  /** What the log should tell beside ids. */
  target?: (body: unknown) => string
}

/** The name of the operation, if it changes something. */
const deedOf = ({ operation, method, isLook }: Noted): string | undefined =>
  method === 'GET' || isLook ? undefined : operation

/** Notes what people were refused before anything was tried: by their role, or because of what they gave. */
export function refusalNoter(parts: AuditParts, environment: string | null, noted: Noted) {
  const { audit, refusals } = parts
  const deed = deedOf(noted)
  const note = async (exchange: Exchange, code: string) => {
    const { id, email } = exchange.visitor!.user
    if (await isWorthARow(refusals, id))
      await audit.audit({ ...draftOf(exchange, email, environment, deed!), refusal: code })
  }
  return (exchange: Exchange, { code }: Problem): Promise<void> | undefined => {
    // Rate-limited callers get an error; noting each would fill the log.
    const isNew = exchange.visitor !== null && !exchange.isNoted && code !== 'rate_limited'
    return isNew && deed !== undefined ? note(exchange, code) : undefined
  }
}

const isWorthARow = async (refusals: RequestLimits, who: string): Promise<boolean> =>
  !(await refusals.take(who, limits.auditRefusals.value)).exceeded

/** How the log names a key. */
export const keyActor = ({ name, hint }: Key): string => `API key “${name}” (${hint})`

/** A handler whose use is noted: by people always, by keys unless the journal tells of it anyway. */
export function audited(
  { audit, refusals }: AuditParts,
  environment: string | null,
  { operation, method, isLook, isTold, target }: Noted,
  handler: Handler,
): Handler {
  if (method === 'GET' || isLook) return handler
  const noted: Handler = async exchange => {
    const { visitor, key } = exchange
    exchange.isNoted = true
    const draft = draftOf(exchange, visitor ? visitor.user.email : keyActor(key!), environment, operation)
    const id = await audit.audit({ ...draft, target: target ? target(exchange.body) : draft.target })
    try {
      return await handler(exchange)
    } catch (error) {
      const isKept = await isWorthARow(refusals, visitor ? visitor.user.id : key!.id)
      await audit.auditRefusal(id, isKept ? asProblem(error).code : undefined)
      throw error
    }
  }
  return exchange => (!exchange.visitor && (isTold || !exchange.key) ? handler(exchange) : noted(exchange))
}

export function draftOf(
  exchange: Exchange,
  email: string,
  environment: string | null,
  action: string,
): AuditDraft {
  const { params, body } = exchange
  return {
    email,
    environment,
    action,
    // Ids only: a number in an address is a person's.
    target: Object.entries(params)
      .filter(([name]) => name.endsWith('_id'))
      .map(([, value]) => value.slice(0, 100))
      .join(' '),
    fields: fieldsOf(body),
    address: exchange.ip,
    refusal: null,
  }
}

/** Clients choose the names: they are cut, and only so many are kept. */
const fieldsOf = (body: unknown): string[] =>
  Object.entries((body as object | null) ?? {})
    .slice(0, limits.auditFields.value)
    .map(([name, value]) => {
      const short = name.slice(0, limits.auditFieldName.value).toWellFormed()
      // Whether something was switched on or off is all that matters about it, and nobody's secret.
      return typeof value === 'boolean' ? `${short}=${value}` : short
    })
