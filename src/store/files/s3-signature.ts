/** Signs a request to an S3-compatible service (AWS Signature Version 4). */

import { createHmac, hash } from 'node:crypto'

export type S3Account = { region: string; accessKeyId: string; secretAccessKey: string }

type Unsigned = {
  method: string
  url: URL
  /** SHA-256 of the body, in hexadecimal. */
  bodyHash: string
  at: Date
}

const algorithm = 'AWS4-HMAC-SHA256'
export const hashOfNothing = hash('sha256', '')

/** The headers that go with it. */
export function signed({ method, url, bodyHash, at }: Unsigned, account: S3Account): Record<string, string> {
  const time = at.toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const headers: Record<string, string> = {
    host: url.host,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
  }
  const names = Object.keys(headers).sort()
  const request = [
    method,
    url.pathname,
    '',
    ...names.map(name => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n')
  const scope = `${day}/${account.region}/s3/aws4_request`
  const text = [algorithm, time, scope, hash('sha256', request)].join('\n')
  const key = [day, account.region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${account.secretAccessKey}`,
  )
  const signature = hmac(key, text).toString('hex')
  const credential = `${account.accessKeyId}/${scope}`
  return {
    ...headers,
    authorization: `${algorithm} Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  }
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
