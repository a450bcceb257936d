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

/** A number fit for logs: enough to recognise, too little to call. */
export function maskNumber(number: string): string {
  return number.length > 6 ? `${number.slice(0, 3)}…${number.slice(-2)}` : '…'
}
