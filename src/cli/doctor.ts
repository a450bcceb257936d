/** basestation doctor: looks at everything a gateway needs and says what is wrong. */

import { X509Certificate } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { Fleet } from '../core/devices/fleet.ts'
import { readCertificate } from '../host/tls.ts'
import { keyAdvice, keyFit, secretKeyPath } from '../secrets/secret-key.ts'
import { newestVersion, schemaVersion } from '../store/engine/migrate.ts'
import { sql } from '../store/engine/sql.ts'
import { openDriver } from '../store/open.ts'
import { type Command, exitCodes } from './command.ts'
import { counted, table } from './output.ts'
import { whyUnreachable } from './with-client.ts'
import { withStore } from './with-store.ts'

type Finding = { check: string; result: 'ok' | 'warning' | 'broken'; detail: string }
type Check = {
  name: string
  /** Only worth a look when the database can be opened. */
  inDatabase?: true
  look: (config: Config) => Promise<Omit<Finding, 'check'>>
}

const ok = (detail: string) => ({ result: 'ok' as const, detail })
const warning = (detail: string) => ({ result: 'warning' as const, detail })
const broken = (detail: string) => ({ result: 'broken' as const, detail })

const checks: readonly Check[] = [
  {
    name: 'Node.js',
    look: async () => {
      const [major = 0] = process.versions.node.split('.').map(Number)
      return major >= 26
        ? ok(process.versions.node)
        : broken(`${process.versions.node}; 26 or newer is needed`)
    },
  },
  {
    name: 'data folder',
    look: async ({ DATA_DIR }) => {
      mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 })
      accessSync(DATA_DIR, constants.W_OK)
      const { bavail, bsize } = statfsSync(DATA_DIR)
      const free = bavail * bsize
      const detail = `${DATA_DIR}, ${(free / 2 ** 30).toFixed(1)} GiB free`
      return free < 2 ** 30 ? warning(`${detail}: less than 1 GiB`) : ok(detail)
    },
  },
  {
    name: 'disk',
    look: async ({ DATA_DIR }) => {
      const ms = medianSyncMs(join(DATA_DIR, '.doctor'))
      const detail = `a write reaches the disk in ${ms.toFixed(1)} ms`
      return ms > 50 ? warning(`${detail}; each commit waits for that`) : ok(detail)
    },
  },
  {
    name: 'database',
    look: async ({ DATABASE_URL }) => {
      const driver = await openDriver(DATABASE_URL)
      try {
        const version = await schemaVersion(driver)
        if (version === 0) return ok('empty; the first start fills it')
        if (version > newestVersion)
          return broken(`schema ${version} is newer than this program, which knows ${newestVersion}`)
        return version < newestVersion
          ? warning(`schema ${version}; npx basestation migrate brings it to ${newestVersion}`)
          : ok(`${driver.dialect}, schema ${version}`)
      } finally {
        await driver.close()
      }
    },
  },
  {
    name: 'integrity',
    inDatabase: true,
    look: async ({ DATABASE_URL }) => {
      if (!DATABASE_URL.startsWith('sqlite:')) return ok('PostgreSQL looks after itself')
      const driver = await openDriver(DATABASE_URL)
      try {
        const [row] = await driver.reader.all<{ quick_check: string }>(sql`PRAGMA quick_check(1)`)
        return row?.quick_check === 'ok' ? ok('quick_check found nothing') : broken(String(row?.quick_check))
      } finally {
        await driver.close()
      }
    },
  },
  {
    name: 'devices',
    inDatabase: true,
    look: config =>
      withStore({ config }, async store => {
        const fleet = new Fleet(store, Date.now)
        await fleet.refresh()
        const members = [...fleet.members()].filter(({ device }) => device.removedAt === null)
        const online = members.filter(member => member.online).length
        const detail = `${counted(members.length, 'device')}, ${online} online`
        if (members.length > 0 && online === 0) return warning(`${detail}; is the gateway running?`)
        const worrying = members.filter(({ device }) => device.attention.length > 0).length
        return worrying > 0
          ? warning(`${detail}; attention: ${worrying}, see npx basestation devices list`)
          : ok(detail)
      }),
  },
  {
    name: 'secret key',
    inDatabase: true,
    look: config =>
      withStore({ config }, async store => {
        const fit = await keyFit(store, config)
        if (fit === 'new') return ok('nothing is sealed yet')
        return fit === 'fits' ? ok('fits the database') : broken(keyAdvice(fit, config))
      }),
  },
  {
    name: 'permissions',
    look: async ({ DATA_DIR, DATABASE_URL }) => {
      const file = /^sqlite:(.+)$/.exec(DATABASE_URL)?.[1]
      const paths = [DATA_DIR, secretKeyPath(DATA_DIR), ...(file === undefined ? [] : [file, `${file}-wal`])]
      const open = paths.filter(path => existsSync(path) && (statSync(path).mode & 0o077) !== 0)
      return open.length === 0
        ? ok('nobody else on this machine can read the data')
        : warning(`others on this machine may read ${open.join(', ')}; run: chmod -R go= ${DATA_DIR}`)
    },
  },
  {
    name: 'held',
    inDatabase: true,
    look: config =>
      withStore({ config }, async store => {
        const count = await store.heldCount()
        return count === 0
          ? ok('nothing')
          : warning(`${counted(count, 'message')} since a restore; see npx basestation held`)
      }),
  },
  {
    name: 'certificate',
    look: async ({ TLS_CERT, TLS_KEY }) => {
      if (TLS_CERT === undefined || TLS_KEY === undefined)
        return ok('none: http, or https by a proxy in front')
      const { cert } = readCertificate({ cert: TLS_CERT, key: TLS_KEY })
      const { subject, validTo } = new X509Certificate(cert)
      const days = Math.floor((Date.parse(validTo) - Date.now()) / 86_400_000)
      const detail = `${subject.replaceAll('\n', ', ')}, valid for ${counted(days, 'day')}`
      if (days < 0) return broken(`${detail}: it has expired`)
      return days < 14 ? warning(`${detail}: renew it`) : ok(detail)
    },
  },
  {
    name: 'gateway',
    look: async ({ PUBLIC_URL }) => {
      try {
        const answer = await fetch(`${PUBLIC_URL}/readyz`, { signal: AbortSignal.timeout(3_000) })
        return answer.ok ? ok(`ready at ${PUBLIC_URL}`) : broken(`${PUBLIC_URL} answers ${answer.status}`)
      } catch (error) {
        return warning(whyUnreachable(PUBLIC_URL, error))
      }
    },
  },
]

export const doctor: Command = {
  name: 'doctor',
  about: 'Check everything the gateway needs, and report problems',
  more: 'Exit code: 0 when nothing is broken, else 1.',
  async run({ config, output }) {
    const findings: Finding[] = []
    for (const { name, inDatabase, look } of checks) {
      if (inDatabase && findings.some(({ check, result }) => check === 'database' && result === 'broken'))
        continue
      findings.push({ check: name, ...(await look(config).catch(error => broken((error as Error).message))) })
    }
    output.show(findings, () => table(findings, ['check', 'result', 'detail'], ''))
    return findings.some(({ result }) => result === 'broken') ? exitCodes.failed : exitCodes.ok
  },
}

function medianSyncMs(file: string): number {
  const handle = openSync(file, 'w')
  const times = Array.from({ length: 9 }, () => {
    const started = performance.now()
    writeSync(handle, Buffer.alloc(4_096))
    fsyncSync(handle)
    return performance.now() - started
  })
  rmSync(file)
  return times.sort((a, b) => a - b)[4]!
}
