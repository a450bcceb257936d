/** A whole gateway in this process: real HTTP, a real database, a clock that can be turned, phones that can be watched. */

import { readConfig } from '../../src/config.ts'
import { hashSecret, hintOf, type KeyDraft, newSecret, sendAndRead } from '../../src/core/access/key.ts'
import type { Device } from '../../src/core/devices/device.ts'
import type { DeviceDraft } from '../../src/core/devices/device-draft.ts'
import type { Environment, EnvironmentName } from '../../src/core/environment.ts'
import type { Log } from '../../src/core/lib/log.ts'
import type { Message } from '../../src/core/messages/message.ts'
import { simulatedPhones } from '../../src/links/simulated.ts'
import { type Basestation, type BuildOptions, build } from '../../src/main.ts'
import { emptySqlite, scratch } from './databases.ts'
import { standinPhones } from './phone.ts'

/** Tests look into answers of every shape; what is not there is undefined, and the assertion says so. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Answer = { status: number; headers: Headers; body: any; text: string }

export type TestGateway = Basestation & {
  url: string
  clock: { now: number; real: boolean }
  /** Messages that left a simulated phone, in order. */
  onAir: { message: Message; device: Device }[]
  logged: Record<string, unknown>[]
  environment(name: EnvironmentName): Promise<Environment>
  key(environment: EnvironmentName, draft?: Partial<KeyDraft>): Promise<string>
  device(environment: EnvironmentName, draft?: Partial<DeviceDraft>): Promise<Device>
  /** Asks the API. A body that is not a string is sent as JSON. */
  ask(
    method: string,
    path: string,
    options?: { key?: string | undefined; body?: unknown; headers?: Record<string, string> },
  ): Promise<Answer>
}

export type TestOptions = BuildOptions & {
  database?: string
  settings?: Record<string, string>
  /** Multiplies the simulated phones' delays; 0 unless told otherwise. */
  pace?: number
  /** Android phones come over HTTP, as real ones do, in place of stand-ins that do what the test says. */
  appPhones?: boolean
}

export const bases = { production: '/api/v1', staging: '/staging/api/v1' }

export async function startGateway(options: TestOptions = {}): Promise<TestGateway> {
  const { database, settings, pace = 0, appPhones = false, ...rest } = options
  const clock = { now: Date.now(), real: true }
  const now = () => (clock.real ? Date.now() : clock.now)
  const onAir: TestGateway['onAir'] = []
  const logged: Record<string, unknown>[] = []
  const note = (level: string) => (fields: Record<string, unknown>, text: string) => {
    logged.push({ level, text, ...fields })
  }
  const log: Log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }
  const config = readConfig({
    DRAIN_SECONDS: '0',
    PORT: '0',
    RATE_LIMIT: '1000000',
    DATABASE_URL: database ?? (await emptySqlite()),
    DATA_DIR: scratch(),
    ...settings,
  })
  const gateway = await build(config, {
    now,
    log,
    kinds: [
      simulatedPhones({ now, pace, onAir: (message, device) => onAir.push({ message, device }) }),
      ...(appPhones ? [] : [standinPhones]),
    ],
    ...rest,
  })
  const environment = async (name: EnvironmentName) =>
    (await gateway.store.environments()).find(one => one.name === name)!
  const url = await gateway.start()
  return {
    ...gateway,
    url,
    clock,
    onAir,
    logged,
    environment,
    async key(name, draft) {
      const secret = newSecret(name)
      await gateway.store.addKey(
        {
          environmentId: (await environment(name)).id,
          name: 'test',
          scopes: sendAndRead,
          rateLimit: null,
          allowedIps: [],
          expiresAt: null,
          createdBy: 'test',
          ...draft,
        },
        hashSecret(secret),
        hintOf(secret),
      )
      return secret
    },
    async device(name, draft = {}) {
      return await gateway.store.enrol({
        environmentId: (await environment(name)).id,
        kind: name === 'staging' ? 'simulated' : 'android',
        name: 'Phone',
        phone: '+15550100000',
        perMinute: null,
        perDay: null,
        ...draft,
      })
    },
    async ask(method, path, { key, body, headers } = {}) {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined
      return { status: response.status, headers: response.headers, body: json, text }
    },
  }
}

/** A gateway for one test, stopped whatever becomes of the test. */
export async function withGateway(
  options: TestOptions,
  work: (gateway: TestGateway) => Promise<void>,
): Promise<void> {
  const gateway = await startGateway(options)
  try {
    await work(gateway)
  } finally {
    await gateway.stop()
  }
}

/** For every wait: a busy machine is slow, and only what never happens costs the whole of it. */
export const patienceMs = 90_000

/** For what is promised within a second or so: generous to a busy machine, and far below a cache that lasts a minute. */
export const soonMs = 20_000

/** Waits until it is so, and says what it waited for if it never is. */
export async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  withinMs = patienceMs,
): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`timed out: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}
