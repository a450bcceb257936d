/** What can be said about a media address before anything is fetched. */

import { Problem, wrong } from '../problem.ts'
import { hostOf, isAllowedHost } from '../webhooks/allowed-host.ts'
import { isPrivateHost } from '../webhooks/public-address.ts'

/** Kinds the gateway can send, by the extension of the address. */
const supported = new Set(
  'pdf jpg jpeg png gif webp mp4 webm mp3 ogg oga opus wav doc docx txt zip'.split(' '),
)
/** Well-known kinds it cannot. Any other extension says nothing: the content decides when it is fetched. */
const unsupported = new Set(
  (
    'exe msi dmg apk ipa deb rpm iso bat cmd com scr jar sh ps1 js mjs ts html htm xml css svg json csv tsv ' +
    'xls xlsx ppt pptx odt ods odp rtf epub mov avi mkv wmv flv m4v mpg mpeg 3gp bmp tif tiff heic heif ico psd ai ' +
    'raw avif aac flac wma m4a mid midi aiff rar 7z tar gz tgz bz2 xz eml msg sql db sqlite'
  ).split(' '),
)

/** Throws the problem that the address itself shows. Names are judged when they are resolved, at the fetch. */
export function checkMediaUrl(
  text: string,
  httpsOnly: boolean,
  allowed: ReadonlySet<string> = new Set(),
): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || !/^https?:\/\//i.test(text))
    throw new Problem('invalid_request', 'media_url must be an absolute http or https address.', {
      errors: [{ pointer: '/media_url', code: 'invalid', detail: 'not an absolute http or https address' }],
    })
  // The operator vouches for it: it may be private, and plain.
  const vouched = isAllowedHost(url, allowed)
  if (httpsOnly && !vouched && url.protocol !== 'https:')
    throw new Problem(
      'invalid_request',
      'media_url must be an https address: this gateway fetches media over https only.',
      {
        errors: [{ pointer: '/media_url', code: 'invalid', detail: 'must be https' }],
      },
    )
  const extension = /\.([a-z0-9]{1,8})$/i.exec(url.pathname)?.[1]?.toLowerCase()
  if (extension && !supported.has(extension) && unsupported.has(extension))
    throw wrong('unsupported_media', '/media_url', `.${extension} files cannot be sent.`)
  const host = hostOf(url)
  if (vouched) return
  if (isPrivateHost(host))
    throw wrong('media_url_blocked', '/media_url', 'media_url names an address that is not public.')
}
