/** basestation migrate: brings the database to the newest schema. */

import { migrate as migrateDatabase, newestVersion } from '../store/engine/migrate.ts'
import { openDriver } from '../store/open.ts'
import type { Command } from './command.ts'

export const migrate: Command = {
  name: 'migrate',
  about: 'Bring the database to the newest schema (serve does so by itself)',
  async run({ config, output }) {
    const driver = await openDriver(config.DATABASE_URL, true)
    try {
      const taken = await migrateDatabase(driver, Date.now)
      output.show({ schema: newestVersion, taken }, () =>
        taken.length === 0
          ? `Nothing to do: the schema is at ${newestVersion}.`
          : `Took ${taken.join(', ')}.`,
      )
    } finally {
      await driver.close()
    }
    return undefined
  },
}
