/** Whom a request names: which numbers can be texted, and what is said about the others. */

import type { Environment } from '../environment.ts'
import { normaliseNumber } from '../people/number.ts'
import { Problem } from '../problem.ts'

export type Recipient = { index: number; to: string; number: string }

export type Rejected = {
  index: number
  to: string
  code: 'invalid_recipient' | 'duplicate_recipient' | 'recipient_opted_out'
  detail: string
}

/** Whether the numbering plans know a number. Asked only where the environment wants it. */
type IsAssigned = (number: string) => boolean

/** In international format; undefined: it is not a number that can be texted. */
export function recipientOf(
  { settings }: Environment,
  given: string,
  isAssigned: IsAssigned,
): string | undefined {
  const number = normaliseNumber(given)
  const isUnknown = number !== undefined && settings.numberCheck === 'plan' && !isAssigned(number)
  return isUnknown ? undefined : number
}

/** Each number once, in the order given. */
export function sortRecipients(
  environment: Environment,
  recipients: readonly string[],
  isAssigned: IsAssigned,
): { accepted: Recipient[]; rejected: Rejected[] } {
  const accepted = new Map<string, Recipient>()
  const rejected: Rejected[] = []
  recipients.forEach((to, index) => {
    const number = recipientOf(environment, to, isAssigned)
    if (number === undefined)
      rejected.push({ index, to, code: 'invalid_recipient', detail: invalidRecipient(to).message })
    else if (accepted.has(number))
      rejected.push({ index, to, code: 'duplicate_recipient', detail: `${number} is in the list already.` })
    else accepted.set(number, { index, to, number })
  })
  return { accepted: [...accepted.values()], rejected }
}

export const optedOutDetail = (number: string): string => `${number} wants no messages: it was opted out.`

export const optedOutEntry = ({ index, to, number }: Recipient): Rejected => ({
  index,
  to,
  code: 'recipient_opted_out',
  detail: optedOutDetail(number),
})

export const nobody = (rejected: readonly Rejected[]): Problem =>
  new Problem('no_valid_recipients', 'None of the recipients can be texted.', {
    errors: rejected.map(({ index, code, detail }) => ({ pointer: `/recipients/${index}`, code, detail })),
  })

export const invalidRecipient = (given: string): Problem =>
  new Problem(
    'invalid_recipient',
    `“${given.slice(0, 40)}” is not a phone number in international format, such as +14155550123.`,
  )
