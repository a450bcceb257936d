/** What is being written outlives a page that goes away: a session that ended, a click on the wrong link. */

import { useEffect, useState } from 'react'

/** Kept for this tab only, until it is sent. */
export function useDraft(name: string, otherwise: string): [string, (text: string) => void] {
  const key = `basestation.draft.${name}`
  const [text, setText] = useState(() => otherwise || (sessionStorage.getItem(key) ?? ''))
  useEffect(() => {
    if (text === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  }, [key, text])
  return [text, setText]
}
