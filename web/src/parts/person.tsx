/** A person's number, written as in its country; or the name of a sender that has none. */

import { useSyncExternalStore } from 'react'

type Format = (number: string) => { text: string; country: string | undefined }

/** The numbering plans are large, and come after the page. */
let format: Format | undefined
const waiting = new Set<() => void>()
const regions = new Intl.DisplayNames('en', { type: 'region' })

void import('libphonenumber-js/min').then(({ parsePhoneNumberFromString }) => {
  format = number => {
    const parsed = parsePhoneNumberFromString(number)
    return { text: parsed?.formatInternational() ?? number, country: parsed?.country }
  }
  for (const tell of waiting) tell()
})

const subscribe = (tell: () => void) => {
  waiting.add(tell)
  return () => void waiting.delete(tell)
}

export const useFormat = (): Format | undefined => useSyncExternalStore(subscribe, () => format)

/** Signs that turn the direction of writing, or cannot be seen, must not make one name look like another. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones
const unseen = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g
export const visible = (name: string): string =>
  name.replace(unseen, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

export function Person({ number }: { number: string }) {
  const show = useFormat()
  if (number === '') return <span className="muted">forgotten</span>
  if (!/^\+\d+$/.test(number)) return <span>{visible(number)}</span>
  const { text, country } = show?.(number) ?? { text: number, country: undefined }
  return (
    <span className="nowrap" title={country ? `${number} · ${regions.of(country)}` : number}>
      {text}
      {country && <span className="muted small"> {country}</span>}
    </span>
  )
}
