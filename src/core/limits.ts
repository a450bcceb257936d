/**
 * What one request, client or file may take up. Limits that depend on the machine are settings (`config.ts`); these are
 * the same everywhere. `basestation config` lists both, with the reasons.
 */

type Limit = { value: number; unit: string; why: string }
const limit = (value: number, unit: string, why: string): Limit => ({ value, unit, why })

const kib = 1_024
const mib = 1_024 * kib

export const limits = {
  body: limit(mib, 'bytes', 'a request body; a bulk send of 100 recipients needs about 20 kB'),
  sessionBody: limit(16 * kib, 'bytes', 'a body to /session, which strangers may post to'),
  metaBody: limit(4 * mib, 'bytes', 'a webhook post of Meta, which promises at most 3 MB'),
  phoneBody: limit(15 * mib, 'bytes', 'a post of a phone, which carries MMS attachments in base64'),
  unprovenBodies: limit(32 * mib, 'bytes', 'all bodies together whose signature is not checked yet'),
  jsonKeys: limit(1_000, 'keys', 'keys in one JSON body: more cost processor time and fit no request'),
  jsonDepth: limit(32, 'levels', 'nesting of a JSON body'),
  validationErrors: limit(20, 'errors', 'mistakes of one request that are listed'),
  headers: limit(16 * kib, 'bytes', 'the headers of one request'),
  headerSeconds: limit(10, 'seconds', 'until the headers of a request have arrived'),
  requestSeconds: limit(30, 'seconds', 'until a request has arrived'),
  conversionMemory: limit(1_024 * mib, 'bytes', 'the memory of ffmpeg; one conversion runs at a time'),
  conversionSeconds: limit(60, 'seconds', 'the time of one conversion'),
  conversionPixels: limit(
    20_000_000,
    'pixels',
    'a picture that is converted: a small file may claim any size',
  ),
  thumbnail: limit(64 * kib, 'bytes', 'the small picture that goes out with a picture or video'),
  downloadsPerHost: limit(3, 'downloads', 'media fetched at once from one host for one environment'),
  downloadsPerEnvironment: limit(8, 'downloads', 'media fetched at once for one environment'),
  journalCache: limit(32 * mib, 'bytes', 'events kept in memory for streams and webhooks'),
  webhookAnswer: limit(64 * kib, 'bytes', 'what is read of the answer of a webhook'),
  phoneStreamUnread: limit(
    64 * kib,
    'bytes',
    'what a phone has not taken from its event stream; then it is closed',
  ),
  auditFields: limit(30, 'names', 'field names in one row of the audit log'),
  auditFieldName: limit(64, 'characters', 'one field name in the audit log: clients choose it'),
  auditRefusals: limit(30, 'rows', 'refusals that the audit log keeps of one person in a minute'),
  visitorRequests: limit(3_000, 'requests', 'what one signed-in person may ask for in a minute'),
} as const satisfies Record<string, Limit>
