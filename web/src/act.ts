/** Doing something: once at a time, with a word when it is done, or why not. */

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useEnvironment } from './environment.ts'
import { useToast } from './parts/toast.tsx'
import { onError } from './query-client.ts'

type Options = {
  /** What to say when it is done. */
  done?: string
  undo?: () => Promise<unknown>
  /** What has to be looked up anew; everything of the environment unless said. */
  stale?: readonly string[]
}

/** Returns the doer, and whether it is at work. True: it was done. */
export function useAct(): [
  act: (deed: () => Promise<unknown>, options?: Options) => Promise<boolean>,
  isBusy: boolean,
] {
  const client = useQueryClient()
  const environment = useEnvironment()
  const { say, complain } = useToast()
  const [isBusy, setBusy] = useState(false)
  const act = async (deed: () => Promise<unknown>, { done, undo, stale }: Options = {}): Promise<boolean> => {
    setBusy(true)
    try {
      await deed()
      await client.invalidateQueries({ queryKey: stale ?? [environment] })
      if (done !== undefined) say(done, undo && (() => void act(undo)))
      return true
    } catch (error) {
      onError(error)
      complain(error)
      return false
    } finally {
      setBusy(false)
    }
  }
  return [act, isBusy]
}
