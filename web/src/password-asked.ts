/** Some requests want the password again. They wait until it was given, and go on by themselves. */

import { useSyncExternalStore } from 'react'
import type { BasestationError } from '../../sdk/src/index.ts'

/** Whoever waits: all of them go on with one password. */
let waiting: readonly ((isGiven: boolean) => void)[] = []
const listeners = new Set<() => void>()

function change(next: typeof waiting): void {
  waiting = next
  for (const tell of listeners) tell()
}

/** Resolves when the password was given, or somebody would rather not. */
export async function onRefused(error: BasestationError): Promise<boolean> {
  if (error.code !== 'password_needed') return false
  return await new Promise(resolve => change([...waiting, resolve]))
}

export function settle(isGiven: boolean): void {
  const settled = waiting
  change([])
  for (const resolve of settled) resolve(isGiven)
}

const subscribe = (tell: () => void) => {
  listeners.add(tell)
  return () => void listeners.delete(tell)
}

export const usePasswordAsked = (): boolean => useSyncExternalStore(subscribe, () => waiting.length > 0)
