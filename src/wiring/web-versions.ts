/** Looks up which version of WhatsApp Web is the newest, unless the settings name one. */

import type { Config } from '../config.ts'
import { loadLibrary } from '../links/whatsapp/linked/library.ts'
import { readVersion, WebVersions } from '../links/whatsapp/linked/web-version.ts'

const lookUpMs = 5_000

export const webVersions = (
  { WHATSAPP_VERSION, WHATSAPP_WS_URL }: Pick<Config, 'WHATSAPP_VERSION' | 'WHATSAPP_WS_URL'>,
  now: () => number,
): WebVersions =>
  new WebVersions({
    chosen: WHATSAPP_VERSION === undefined ? undefined : readVersion(WHATSAPP_VERSION),
    lookUp: async () => {
      // A stand-in of the server takes any.
      if (WHATSAPP_WS_URL !== undefined) return undefined
      const { fetchLatestWaWebVersion } = await loadLibrary()
      const { version, isLatest } = await fetchLatestWaWebVersion({ signal: AbortSignal.timeout(lookUpMs) })
      return isLatest ? version : undefined
    },
    now,
  })
