/** Doing something: once at a time, with a word when it is done, or why not. */

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { BasestationError } from '../../sdk/src/index.ts'
import { useEnvironment } from './environment.ts'
import { useToast } from './parts/toast.tsx'
import { onError } from './query-client.ts'

type Options = {
  /** What to say when it is done. */
  done?: string
  undo?: () => Promise<unknown>
  /** What has to be looked up again; everything of the environment unless said. */
  stale?: readonly string[]
}

/** What is wrong with a field, if anything is. */
export type Wrong = (pointer: string) => string | undefined

/**
 * Returns the doer, whether it is at work, and what is wrong with the fields of a form. True: it was done. Trouble with
 * one of the `fields`, named as the gateway names them, is told beside it; the rest at the edge of the page.
 */
export function useAct(
  ...fields: readonly string[]
): [
  act: (deed: () => Promise<unknown>, options?: Options) => Promise<boolean>,
  isBusy: boolean,
  wrong: Wrong,
] {
  const client = useQueryClient()
  const environment = useEnvironment()
  const { say, complain } = useToast()
  const [isBusy, setBusy] = useState(false)
  const [wrongs, setWrongs] = useState<ReadonlyMap<string, string>>(new Map())
  const act = async (deed: () => Promise<unknown>, { done, undo, stale }: Options = {}): Promise<boolean> => {
    setBusy(true)
    setWrongs(new Map())
    try {
      await deed()
      await client.invalidateQueries({ queryKey: stale ?? [environment] })
      if (done !== undefined) say(done, undo && (() => void act(undo)))
      return true
    } catch (error) {
      onError(error)
      const found = wrongsIn(error, fields)
      setWrongs(found)
      if (found.size === 0) complain(error)
      return false
    } finally {
      setBusy(false)
    }
  }
  return [act, isBusy, pointer => wrongs.get(pointer)]
}

/** By the field that each is about: `/allowed_ips/0` is about `/allowed_ips`. */
function wrongsIn(error: unknown, fields: readonly string[]): Map<string, string> {
  const parts = error instanceof BasestationError ? (error.errors ?? []) : []
  const found = new Map<string, string>()
  for (const { pointer, detail } of parts) {
    const field = fields.find(one => pointer === one || pointer.startsWith(`${one}/`))
    if (field !== undefined) found.set(field, sentence(detail))
  }
  return found
}

const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
