/** What is being written outlives a page that goes away: one that is loaded again, a click on the wrong link. */

import { useEffect, useState } from 'react'
import { useEnvironment } from './environment.ts'
import { useSignedIn } from './session.ts'

/** Kept for this person, in this tab, until it is sent. */
export function useDraft(
  name: string,
  otherwise: string,
): [text: string, setText: (text: string) => void, forget: () => void] {
  const { user } = useSignedIn()
  const key = `basestation.draft.${user.id}.${useEnvironment()}.${name}`
  const [text, setText] = useState(() => otherwise || (sessionStorage.getItem(key) ?? ''))
  useEffect(() => {
    if (text === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  }, [key, text])
  return [text, setText, () => sessionStorage.removeItem(key)]
}
