/** Commands that talk to a gateway over HTTP, as any other client would. */

import { Basestation, type BasestationOptions } from '../../sdk/src/index.ts'
import { type Context, UsageError } from './command.ts'

export const clientOptions = {
  key: { type: 'string', value: 'KEY', about: 'API key (default: BASESTATION_KEY)' },
  url: {
    type: 'string',
    value: 'URL',
    about: 'address of the gateway (default: BASESTATION_URL, else this machine)',
  },
} as const

/** Nobody answers there, or not so that one could trust it. */
export class Unreachable extends Error {}

const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/

/** Why a request to the gateway failed, in words. */
export function whyUnreachable(url: string, error: unknown): string {
  const { code = '' } = ((error as Error).cause ?? {}) as { code?: string }
  return untrusted.test(code)
    ? `${url} answers, but its certificate is not trusted (${code}). If it is your own, set NODE_EXTRA_CA_CERTS to its file.`
    : `Nothing answers at ${url}. Is the gateway running, with the same settings as this shell?`
}

export function clientOf(
  { given, config }: Context,
  options: Partial<Omit<BasestationOptions, 'url'>> = {},
): Basestation {
  const key = options.key ?? given.text('key') ?? config.BASESTATION_KEY
  if (key === undefined)
    throw new UsageError(
      'an API key is needed: set BASESTATION_KEY, or create one with: npx basestation keys create --name me [--environment staging]',
    )
  const url = given.text('url') ?? config.BASESTATION_URL ?? config.PUBLIC_URL
  if (!URL.canParse(url)) throw new UsageError('--url must be an http or https address')
  const reach: typeof fetch = (input, init) =>
    fetch(input, init).catch(error => {
      throw new Unreachable(whyUnreachable(url, error))
    })
  // People at a terminal would rather read why than wait.
  return new Basestation({ retries: 0, fetch: reach, ...options, url, key })
}
