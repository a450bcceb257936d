/** What the numbering plans say about phone numbers. */

import { isValidPhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/min'

/** Whether the plans know the number. */
export const isAssigned = (number: string): boolean => isValidPhoneNumber(number)

/**
 * A number as it is dialled at home, in international format: by the country of the device it came to. Short codes and
 * names are no such numbers, and neither is what the country's plan does not know.
 */
export function complete(number: string, devicePhone: string): string | undefined {
  const home = parsePhoneNumberFromString(devicePhone)?.countryCallingCode
  if (home === undefined) return undefined
  // Many networks write the calling code without its plus: a number that has one does not get it a second time.
  const digits = number.replaceAll(/[\s().-]/g, '')
  if (/^\d+$/.test(digits) && digits.startsWith(home) && isAssigned(`+${digits}`)) return `+${digits}`
  const found = parsePhoneNumberFromString(number, { defaultCallingCode: home, extract: false })
  return found?.isValid() ? found.number : undefined
}
