/** What the numbering plans say about phone numbers. */

import { createRequire } from 'node:module'
import type * as Plans from 'libphonenumber-js/min'

let loaded: typeof Plans | undefined

/** The plans of all countries are large, and most starts of the program never ask. */
function plans(): typeof Plans {
  loaded ??= createRequire(import.meta.url)('libphonenumber-js/min') as typeof Plans
  return loaded
}

/** Whether the plans know the number. */
export const isAssigned = (number: string): boolean => plans().isValidPhoneNumber(number)

/**
 * A number as it is dialled at home, in international format: by the country of the device it came to. Short codes and
 * names are no such numbers, and neither is what the country's plan does not know.
 */
export function complete(number: string, devicePhone: string): string | undefined {
  const { parsePhoneNumberFromString } = plans()
  const home = parsePhoneNumberFromString(devicePhone)?.countryCallingCode
  if (home === undefined) return undefined
  // Many networks write the calling code without its plus: a number that has one does not get it a second time.
  const digits = number.replaceAll(/[\s().-]/g, '')
  if (/^\d+$/.test(digits) && digits.startsWith(home) && isAssigned(`+${digits}`)) return `+${digits}`
  const found = parsePhoneNumberFromString(number, { defaultCallingCode: home, extract: false })
  return found?.isValid() ? found.number : undefined
}
