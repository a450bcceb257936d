/** Commands that work on the database itself, whether or not a server is running. */

import type { Device } from '../core/devices/device.ts'
import { type EnvironmentName, environmentNames } from '../core/environment.ts'
import { Problem } from '../core/problem.ts'
import type { Store } from '../core/store.ts'
import { openStore } from '../store/open.ts'
import { type Context, type Given, Refusal, UsageError } from './command.ts'

export async function withStore<T>(
  { config }: Pick<Context, 'config'>,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(config.DATABASE_URL)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Throws while a gateway works on the database. */
export async function requireStopped(store: Store): Promise<void> {
  if ((await store.nodes()).some(({ isAlive }) => isAlive))
    throw new Refusal('a gateway is running on this database, or was a few seconds ago; stop it first')
}

/** The device with this id, unless it was removed. */
export async function deviceNamed(store: Store, id: string): Promise<Device> {
  const device = (await store.allDevices()).find(one => one.id === id.toLowerCase() && one.removedAt === null)
  if (!device) throw new Problem('device_not_found', `There is no device with the id ${id}.`)
  return device
}

export const environmentOption = {
  type: 'string',
  value: 'production|staging',
  about: 'the environment (default: production)',
} as const

export function environmentNamed(given: Given, otherwise: EnvironmentName): EnvironmentName
export function environmentNamed(given: Given): EnvironmentName | undefined
export function environmentNamed(given: Given, otherwise?: EnvironmentName): EnvironmentName | undefined {
  const name = given.text('environment') ?? otherwise
  if (name === undefined || environmentNames.includes(name as EnvironmentName))
    return name as EnvironmentName | undefined
  throw new UsageError('--environment must be production or staging')
}

export async function environmentId(store: Store, name: EnvironmentName): Promise<number> {
  return (await store.environments()).find(environment => environment.name === name)!.id
}
