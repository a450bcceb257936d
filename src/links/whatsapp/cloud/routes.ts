/** The address that Meta posts to. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Budget } from '../../../core/lib/budget.ts'
import { limits } from '../../../core/limits.ts'
import { Problem } from '../../../core/problem.ts'
import type { Exchange } from '../../../edge/exchange.ts'
import type { Site } from '../../../edge/site.ts'
import { type CloudHooks, unsigned } from './hooks.ts'
import { hasSignature } from './signature.ts'

export const cloudBase = '/whatsapp/v1'
export const webhookPath = `${cloudBase}/webhook`
const bodyLimit = limits.metaBody.value

export type CloudRouteParts = {
  hooks: CloudHooks
  /** For how long to hold a refusal back from this address. */
  delay: (address: string) => number
}

export function cloudSite({ hooks, delay }: CloudRouteParts): Site {
  const unproven = new Budget(limits.unprovenBodies.value)
  const confirm = async (exchange: Exchange): Promise<string> => {
    const [mode, token, challenge] = ['mode', 'verify_token', 'challenge'].map(
      name => exchange.query[`hub.${name}`],
    )
    if (mode !== 'subscribe' || typeof token !== 'string' || !(await hooks.answers(token))) {
      await sleep(delay(exchange.ip))
      throw new Problem('invalid_signature', 'The verify token is not that of any number.')
    }
    exchange.type = 'text/plain'
    return String(challenge ?? '')
  }
  /** Anybody may post here: what cannot be Meta's is not read at all. */
  const requireSignature = async (exchange: Exchange): Promise<void> => {
    if (hasSignature(exchange.headers['x-hub-signature-256'])) return
    await sleep(delay(exchange.ip))
    throw unsigned()
  }
  /** The rest is read only so much at a time. What counts is what has come, not what somebody says will. */
  const countUnproven = ({ response }: Exchange) => {
    const taken: (() => void)[] = []
    response.once('close', () => {
      for (const giveBack of taken) giveBack()
    })
    return (bytes: number): void => {
      const giveBack = unproven.take(bytes)
      if (!giveBack) throw new Problem('rate_limited', 'Too much is being posted at once.', { retryAfter: 5 })
      taken.push(giveBack)
    }
  }
  const take = async (exchange: Exchange): Promise<object> => {
    const body = Buffer.isBuffer(exchange.body) ? exchange.body : Buffer.alloc(0)
    try {
      await hooks.take(body, exchange.headers['x-hub-signature-256'])
    } catch (error) {
      if (error instanceof Problem && error.code === 'invalid_signature') await sleep(delay(exchange.ip))
      throw error
    }
    return { success: true }
  }
  return {
    prefix: cloudBase,
    routes: [
      { method: 'GET', path: '/webhook', noHead: true, handle: confirm },
      {
        method: 'POST',
        path: '/webhook',
        enter: requireSignature,
        reads: 'bytes',
        bodyLimit,
        countBytes: countUnproven,
        handle: take,
      },
    ],
  }
}
