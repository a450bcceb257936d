/** Settings: environment variables in, one frozen Config out. Every setting is in the list below and nowhere else. */

import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import {
  Complaint,
  ConfigProblem,
  database,
  flag,
  hostName,
  hosts,
  networks,
  type Option,
  oneOf,
  origin,
  text,
  whole,
} from './host/setting.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Of SECRET_KEY. */
export const shortestKey = 16

const option = <T, Default extends string | undefined>(option: Option<T, Default>) => option

export const options = {
  HOST: option({ about: 'address to listen on', default: '127.0.0.1', read: text }),
  PORT: option({ about: 'port to listen on; 0 takes any free one', default: '8080', read: whole(0, 65_535) }),
  PUBLIC_URL: option({
    about: 'address under which others reach the gateway; from HOST and PORT when not set',
    default: undefined,
    read: origin,
  }),
  DATA_DIR: option({ about: 'folder for what the gateway keeps in files', default: 'data', read: text }),
  DATABASE_URL: option({
    about: 'sqlite:path/to/file.db or postgres://…; a SQLite file in DATA_DIR when not set',
    default: undefined,
    secret: true,
    read: database,
  }),
  TLS_CERT: option({
    about: 'certificate file (PEM, with its chain) to serve https with; read again when renewed',
    default: undefined,
    read: text,
  }),
  TLS_KEY: option({ about: 'file with the key of that certificate', default: undefined, read: text }),
  SECRET_KEY: option({
    about:
      'seals session and webhook secrets at rest; from the file secret.key in DATA_DIR, which is made when it is first needed, when not set',
    default: undefined,
    secret: true,
    read: given =>
      given.length >= shortestKey ? given : new Complaint(`must have at least ${shortestKey} characters`),
  }),
  WHATSAPP_WS_URL: option({
    about: 'for tests: a stand-in of WhatsApp’s server, on this machine only',
    default: undefined,
    read: given =>
      /^wss?:\/\/(127\.\d+\.\d+\.\d+|\[::1\]|localhost)(:\d+)?(\/|$)/.test(given)
        ? given
        : new Complaint('must be a ws:// address on this machine'),
  }),
  WHATSAPP_VERSION: option({
    about: 'version of WhatsApp Web to name, such as 2.3000.1043857760; the newest is looked up when not set',
    default: undefined,
    read: given =>
      /^\d{1,4}\.\d{1,6}\.\d{1,12}$/.test(given) ? given : new Complaint('must look like 2.3000.1043857760'),
  }),
  WHATSAPP_GRAPH_URL: option({
    about: 'WhatsApp’s official API, with its version',
    default: 'https://graph.facebook.com/v25.0',
    read: given =>
      /^(https:\/\/[^\s/]+|http:\/\/(127\.\d+\.\d+\.\d+|\[::1\]|localhost)(:\d+)?)(\/|$)/.test(given)
        ? given
        : new Complaint('must be an https address'),
  }),
  STAGING_HOST: option({
    about: 'host name on which staging also answers under /api/v1',
    default: undefined,
    read: hostName,
  }),
  ALLOW_INSECURE_LOGIN: option({
    about: 'lets people sign in to the dashboard over plain http from other machines',
    default: '0',
    read: flag,
  }),
  TRUST_PROXY: option({
    about: 'proxies whose X-Forwarded-For is believed: addresses or networks, comma-separated',
    default: undefined,
    read: networks,
  }),
  RATE_LIMIT: option({
    about: 'requests a minute for keys that have no limit of their own',
    default: '100',
    read: whole(1, 1_000_000_000),
  }),
  QUEUE_LIMIT: option({
    about: 'messages that may wait in one environment before sends are refused',
    default: '5000000',
    read: whole(1, 1_000_000_000),
  }),
  MAX_CONNECTIONS: option({
    about: 'open connections; each phone and each stream is one',
    default: '20000',
    read: whole(10, 1_000_000),
  }),
  DRAIN_SECONDS: option({
    about:
      'how long the gateway goes on answering when it is stopped, while other nodes take over; 5 on PostgreSQL and 0 on SQLite when not set',
    default: undefined,
    read: whole(0, 3_600),
  }),
  STREAMS_PER_KEY: option({
    about: 'event streams that one key, or one signed-in person, may have open',
    default: '50',
    read: whole(1, 100_000),
  }),
  METRICS_TOKEN: option({
    about: 'when set, /metrics is shown only with “Authorization: Bearer <token>”',
    default: undefined,
    secret: true,
    read: text,
  }),
  MEDIA_ALLOW_HOSTS: option({
    about: 'hosts (host or host:port, comma-separated) whose media may be fetched though they are private',
    default: undefined,
    read: hosts,
  }),
  WEBHOOK_ALLOW_HOSTS: option({
    about: 'hosts (host or host:port, comma-separated) whose webhooks may be private, and plain http',
    default: undefined,
    read: hosts,
  }),
  WEBHOOK_LOG_DAYS: option({
    about: 'for how many days it is remembered what each webhook answered',
    default: '30',
    read: whole(1, 3_650),
  }),
  MEDIA_IMAGE_MB: option({ about: 'largest image to send, in MB', default: '16', read: whole(1, 2_000) }),
  MEDIA_VIDEO_MB: option({ about: 'largest video to send, in MB', default: '64', read: whole(1, 2_000) }),
  MEDIA_AUDIO_MB: option({
    about: 'largest audio file to send, in MB',
    default: '16',
    read: whole(1, 2_000),
  }),
  MEDIA_DOCUMENT_MB: option({
    about: 'largest document to send, in MB',
    default: '100',
    read: whole(1, 2_000),
  }),
  MEDIA_RESERVE_MB: option({
    about: 'disk space that files leave free, in MB: below it attachments are left out, and texts go on',
    default: '200',
    read: whole(0, 1_000_000),
  }),
  MEDIA_STORE: option({
    about:
      'where received files are kept: `folder`, in DATA_DIR; or, for several nodes, `database` or `s3://bucket/prefix`',
    default: 'folder',
    read: given =>
      /^(folder|database|s3:\/\/[a-z0-9][a-z0-9.-]{1,62}(\/[\w./-]{0,200})?)$/.test(given)
        ? given
        : new Complaint('must be folder, database or s3://bucket/prefix'),
  }),
  S3_ENDPOINT: option({
    about: 'the service that has the bucket of MEDIA_STORE; that of AWS in S3_REGION when not set',
    default: undefined,
    read: given => (/^https?:\/\/[^\s/]+\/?$/.test(given) ? given : new Complaint('must be an http address')),
  }),
  S3_REGION: option({ about: 'the region of the bucket', default: 'us-east-1', read: text }),
  S3_ACCESS_KEY_ID: option({ about: 'the access key for the bucket', default: undefined, read: text }),
  S3_SECRET_ACCESS_KEY: option({
    about: 'its secret',
    default: undefined,
    secret: true,
    read: text,
  }),
  MEDIA_QUOTA_MB: option({
    about: 'most space for received files, in MB; 0: as much as there is',
    default: '0',
    read: whole(0, 1_000_000_000),
  }),
  WHATSAPP_AUDIO: option({
    about: 'how audio with text is sent: `playable`, with the text as a second message, or `document`',
    default: 'playable',
    read: oneOf('playable', 'document'),
  }),
  FFMPEG: option({
    about: 'the program that makes GIF, WebM and WAV playable; `none`: they go out as they are',
    default: 'ffmpeg',
    read: text => text,
  }),
  MEDIA_HTTPS_ONLY: option({ about: 'refuse media addresses that are plain http', default: '0', read: flag }),
  LOG_LEVEL: option({
    about: 'what to log: silent, error, warn, info or debug',
    default: 'info',
    read: oneOf('silent', 'error', 'warn', 'info', 'debug'),
  }),
  BASESTATION_URL: option({
    about: 'for the command line: address of the gateway; PUBLIC_URL when not set',
    default: undefined,
    read: origin,
  }),
  BASESTATION_KEY: option({
    about: 'for the command line: API key to talk with',
    default: undefined,
    secret: true,
    read: text,
  }),
} satisfies Record<string, Option<unknown>>

export type OptionName = keyof typeof options

type Values = {
  [Name in OptionName]: (typeof options)[Name] extends Option<infer T, infer Default>
    ? Exclude<T, Complaint> | (Default extends undefined ? undefined : never)
    : never
}

export type Config = Readonly<Values & { DATABASE_URL: string; PUBLIC_URL: string; DRAIN_SECONDS: number }>

/** Where a value came from. */
export type Source = 'default' | 'environment' | 'file'

/** All complaints come at once, so that nobody has to mend one setting a start. */
export function readConfig(environment: Environment): Config {
  const complaints: string[] = []
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(options) as OptionName[]) {
    const given = lookUp(environment, name)
    if (given instanceof Complaint) {
      complaints.push(`${name}: ${given.text}`)
      continue
    }
    if (given.text === undefined) continue
    const value = options[name].read(given.text)
    if (value instanceof Complaint) complaints.push(`${name}: ${value.text}`)
    else values[name] = value
  }
  if ((values.TLS_CERT === undefined) !== (values.TLS_KEY === undefined))
    complaints.push('TLS_CERT and TLS_KEY: both are needed, or neither')
  const hasS3Key = values.S3_ACCESS_KEY_ID !== undefined && values.S3_SECRET_ACCESS_KEY !== undefined
  if (String(values.MEDIA_STORE).startsWith('s3:') && !hasS3Key)
    complaints.push('MEDIA_STORE: S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are needed for a bucket')
  if (complaints.length > 0) throw new ConfigProblem(complaints)
  values.DATABASE_URL ??= `sqlite:${values.DATA_DIR}/basestation.db`
  values.DRAIN_SECONDS ??= String(values.DATABASE_URL).startsWith('sqlite:') ? 0 : 5
  const scheme = values.TLS_CERT === undefined ? 'http' : 'https'
  values.PUBLIC_URL ??= `${scheme}://${urlHost(values.HOST as string)}:${values.PORT}`
  return Object.freeze(values) as Config
}

/** For showing: each setting's text and source, secrets hidden. */
export function describeConfig(environment: Environment) {
  const config = readConfig(environment)
  return (Object.keys(options) as OptionName[]).map(name => {
    const given = lookUp(environment, name)
    const source: Source = given instanceof Complaint ? 'default' : given.source
    const secret = 'secret' in options[name]
    const value = config[name]
    const shown = value === undefined ? '' : String(value instanceof Set ? [...value] : value)
    return {
      name,
      value: secret && shown !== '' ? hideSecret(shown) : shown,
      source,
      about: options[name].about,
    }
  })
}

/** An address stays readable but for its password; anything else is not shown at all. */
function hideSecret(shown: string): string {
  if (shown.startsWith('sqlite:')) return shown
  if (!URL.canParse(shown)) return '••••'
  const { protocol, username, host, pathname } = new URL(shown)
  return `${protocol}//${username === '' ? '' : `${username}:••••@`}${host}${pathname}`
}

function lookUp(
  environment: Environment,
  name: OptionName,
): { text: string | undefined; source: Source } | Complaint {
  const fromEnvironment = environment[name]
  if (fromEnvironment !== undefined && fromEnvironment !== '')
    return { text: fromEnvironment, source: 'environment' }
  const file = 'secret' in options[name] ? environment[`${name}_FILE`] : undefined
  if (file === undefined || file === '') return { text: options[name].default, source: 'default' }
  try {
    return { text: readFileSync(file, 'utf8').trim(), source: 'file' }
  } catch (error) {
    return new Complaint(`cannot read ${name}_FILE: ${(error as Error).message}`)
  }
}

const urlHost = (host: string) => {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return isIP(reachable) === 6 ? `[${reachable}]` : reachable
}
