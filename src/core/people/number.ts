/** Phone numbers in international format. */

const separators = /[ \-.()]/g
const international = /^\+[1-9][0-9]{6,14}$/
const longestInput = 64

/**
 * The number as `+` and 7 to 15 digits, or undefined when it cannot be read that way. The shape decides, not a
 * numbering plan: plans age, and refusing a real number is worse than trying a dead one.
 */
export function normaliseNumber(given: string): string | undefined {
  if (international.test(given)) return given
  if (given.length > longestInput) return undefined
  const bare = given.replace(separators, '')
  const number = bare.startsWith('00') ? `+${bare.slice(2)}` : bare
  return international.test(number) ? number : undefined
}

/** From digits without the plus, as WhatsApp writes numbers; undefined: they are no number. */
export const numberOfDigits = (digits: string): string | undefined =>
  international.test(`+${digits}`) ? `+${digits}` : undefined

/** Where WhatsApp hides somebody's number, this is all there is of them: `123456789012345@lid`. */
const hidden = /^(\d{5,15})(?::\d+)?@lid$/

/** The name of somebody whose number is hidden, without that of their device. */
export function hiddenPerson(given: string): string | undefined {
  const id = hidden.exec(given)?.[1]
  return id === undefined ? undefined : `${id}@lid`
}

/** A number, or the id by which WhatsApp tells somebody whose number it hides. */
export const personOf = (given: string): string | undefined =>
  /^[\w.:+-]{1,200}@[\w.]{1,50}$/.test(given) ? given : normaliseNumber(given)

/** Whether one can write to them: a number, or somebody who wrote from a hidden one. */
export const isWritable = (person: string): boolean =>
  international.test(person) || hiddenPerson(person) === person

/** A number fit for logs: enough to recognise, too little to call. */
export function maskNumber(number: string): string {
  return number.length > 6 ? `${number.slice(0, 3)}…${number.slice(-2)}` : '…'
}
