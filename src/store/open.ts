/** From an address to a store that is ready to use. */

import { resolve } from 'node:path'
import type { Store } from '../core/store.ts'
import { accessVerbs } from './access/verbs.ts'
import { deviceVerbs } from './devices/verbs.ts'
import { clockOf } from './engine/clock.ts'
import type { Driver } from './engine/driver.ts'
import { StorageFault } from './engine/driver.ts'
import type { Ground } from './engine/ground.ts'
import { Group, type GroupOptions } from './engine/group.ts'
import { migrate, newestVersion, schemaVersion } from './engine/migrate.ts'
import { probe } from './engine/probe.ts'
import { SqliteDriver } from './engine/sqlite.ts'
import { fileVerbs } from './files/verbs.ts'
import { inboxVerbs } from './inbox/verbs.ts'
import { journalVerbs } from './journal/verbs.ts'
import { messageVerbs } from './messages/verbs.ts'
import { nodeVerbs } from './nodes/verbs.ts'
import { peopleVerbs } from './people/verbs.ts'

/** `sqlite:path/to/file.db` or `postgres://…`. */
export async function openDriver(url: string, isPatient = false): Promise<Driver> {
  try {
    if (/^postgres(ql)?:\/\//.test(url)) {
      // Loaded when it is wanted: most commands on SQLite would spend a fifth of their time on it.
      const { PostgresDriver } = await import('./engine/postgres.ts')
      return new PostgresDriver(url, isPatient)
    }
    if (url.startsWith('sqlite:')) return new SqliteDriver(resolve(url.slice('sqlite:'.length)))
  } catch (error) {
    throw named(error, url)
  }
  throw new StorageFault(`DATABASE_URL must begin with sqlite: or postgres://, not ${url.split(':')[0]}:`)
}

/** Which database it was, without its password. */
function named(error: unknown, url: string): unknown {
  const shown = url.replace(/\/\/[^@/]*@/, '//').replace(/\?.*$/, '')
  const detail = `The database ${shown} cannot be used: ${(error as Error).message}`
  return new StorageFault(detail, { cause: error })
}

/** A step may work through a table of millions. */
async function migratePatiently(driver: Driver, url: string, now: () => number): Promise<void> {
  if (driver.dialect === 'sqlite' || (await schemaVersion(driver)) === newestVersion) {
    await migrate(driver, now)
    return
  }
  const patient = await openDriver(url, true)
  try {
    await migrate(patient, now)
  } finally {
    await patient.close()
  }
}

export type StoreOptions = Omit<GroupOptions, 'clock'> & {
  /** A clock of one's own, for tests; otherwise it is the database's. */
  now?: () => number
}

export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const driver = await openDriver(url)
  try {
    await migratePatiently(driver, url, options.now ?? Date.now)
    return await storeOn(driver, options)
  } catch (error) {
    await driver.close()
    throw named(error, url)
  }
}

export async function storeOn(driver: Driver, { now, ...options }: StoreOptions = {}): Promise<Store> {
  const clock = await clockOf(driver, now)
  const group = new Group(driver, { ...options, clock })
  const ground: Ground = {
    dialect: driver.dialect,
    reader: driver.reader,
    unsyncedReader: driver.unsyncedReader,
    now: () => clock.now(),
    run: (verb, input, keep) => group.run(verb, input, keep),
    write: verb => input => group.run(verb, input),
  }
  let closed: Promise<void> | undefined
  return {
    ...messageVerbs(ground),
    ...inboxVerbs(ground),
    ...fileVerbs(ground),
    ...deviceVerbs(ground),
    ...nodeVerbs(ground),
    ...accessVerbs(ground),
    ...journalVerbs(ground),
    ...peopleVerbs(ground),
    ping: () => group.run(probe, undefined),
    close: () => {
      closed ??= driver.close()
      return closed
    },
  }
}
