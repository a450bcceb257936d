/** The webhooks of the environment. */

import { useQuery } from '@tanstack/react-query'
import type { Webhook } from '../../sdk/src/index.ts'
import { useApi, useEnvironment } from './environment.ts'

export type { Webhook }

export function useWebhooks(mayLook = true) {
  const api = useApi()
  const environment = useEnvironment()
  return useQuery({
    queryKey: [environment, 'webhooks'],
    queryFn: async () => (await api.webhooks()).data,
    enabled: mayLook,
  })
}

/** How it is, in one word and one colour. */
export function healthOf({ enabled, disabled_reason: reason, failing_since: since }: Webhook) {
  if (!enabled)
    return reason === 'switched_off'
      ? { word: 'Disabled', look: '' }
      : { word: reason === 'gone' ? 'Gone' : 'Disabled', look: 'bad' }
  return since === null ? { word: 'Healthy', look: 'good' } : { word: 'Failing', look: 'warn' }
}
