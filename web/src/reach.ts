/** Whether the gateway can be reached, as far as the last request knows. */

import { useSyncExternalStore } from 'react'

let isReached = true
const listeners = new Set<() => void>()

let whenReached = () => {}
/** What to do when it is there again. */
export const onReached = (act: () => void): void => {
  whenReached = act
}

export function noteReach(reached: boolean): void {
  if (reached === isReached) return
  isReached = reached
  for (const tell of listeners) tell()
  if (reached) whenReached()
}

const subscribe = (tell: () => void) => {
  listeners.add(tell)
  return () => void listeners.delete(tell)
}

export const useReach = (): boolean => useSyncExternalStore(subscribe, () => isReached)
