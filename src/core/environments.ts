/** The environments and their settings, read again often enough that a change shows within a second. */

import type { Environment, EnvironmentName, Settings } from './environment.ts'
import type { Log } from './lib/log.ts'
import { Loop } from './lib/loop.ts'
import type { Store } from './store.ts'

export class Environments {
  readonly #store: Pick<Store, 'environments' | 'configure'>
  readonly #loop: Loop
  #environments: Environment[] = []

  constructor(store: Pick<Store, 'environments' | 'configure'>, log: Log) {
    this.#store = store
    this.#loop = new Loop(
      500,
      () => this.#read(),
      error => log.error({ err: error }, 'could not read the environments'),
    )
  }

  async start(): Promise<void> {
    await this.#read()
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  environment(name: EnvironmentName): Environment {
    return this.#environments.find(environment => environment.name === name)!
  }

  all(): readonly Environment[] {
    return this.#environments
  }

  settings(environmentId: number): Settings {
    return this.#environments.find(({ id }) => id === environmentId)!.settings
  }

  async configure(environment: Environment, settings: Settings): Promise<void> {
    await this.#store.configure(environment.id, settings)
    await this.#read()
  }

  async #read(): Promise<undefined> {
    this.#environments = await this.#store.environments()
  }
}
