/** The devices of the environment. */

import { useQuery } from '@tanstack/react-query'
import type { Device, DeviceKind } from '../../sdk/src/index.ts'
import { useApi, useEnvironment } from './environment.ts'

export type { Device, DeviceKind }

/** What waits for each changes without an event. */
const lookMs = 5_000

export function useDevices(everyMs = lookMs) {
  const api = useApi()
  const environment = useEnvironment()
  return useQuery({
    queryKey: [environment, 'devices'],
    queryFn: async () => (await api.devices()).data,
    refetchInterval: everyMs,
  })
}

/** What can be added here; it changes only with the gateway itself. */
export function useDeviceKinds() {
  const api = useApi()
  const environment = useEnvironment()
  return useQuery({
    queryKey: [environment, 'device-kinds'],
    queryFn: async () => (await api.deviceKinds()).data,
    staleTime: Infinity,
  })
}

/** How it is, in one word and one colour. */
export function stateOf({ status, paused, draining, attention }: Device): {
  word: string
  look: 'good' | 'warn' | 'bad' | ''
} {
  if (paused) return { word: 'Paused', look: 'warn' }
  if (draining && status === 'online') return { word: 'Draining', look: 'warn' }
  if (status === 'offline')
    return {
      word: attention.some(({ code }) => code === 'not_connected') ? 'Not connected yet' : 'Offline',
      look: 'bad',
    }
  return attention.length > 0
    ? { word: 'Online, needs attention', look: 'warn' }
    : { word: 'Online', look: 'good' }
}
