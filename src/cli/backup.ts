/** basestation backup and restore. */

import { nodeTimeoutMs } from '../core/fleet.ts'
import { restore as readBackup, backup as writeBackup } from '../store/backup.ts'
import { type Command, UsageError } from './command.ts'
import { withStore } from './with-store.ts'

const backup: Command = {
  name: 'backup',
  about: 'Write a consistent copy of the database, also while the gateway runs',
  words: ['FILE'],
  more: 'The copy is one SQLite file, whichever database it came from, and can be restored into either.',
  async run({ config, given, output }) {
    const [file = ''] = given.words
    await writeBackup(config.DATABASE_URL, file, Date.now)
    output.show({ file }, () => `Wrote ${file}.`)
    return undefined
  },
}

const restore: Command = {
  name: 'restore',
  about: 'Put a backup in the place of the database',
  words: ['FILE'],
  options: { replace: { type: 'boolean', about: 'throw away what the database holds now' } },
  more: 'Stop the gateway first. Messages that were not settled at the time of the backup are held: see basestation held.',
  async run(context) {
    const { config, given, output } = context
    const [file = ''] = given.words
    await withStore(context, async store => {
      const alive = (await store.nodes()).some(({ seenAt }) => seenAt > Date.now() - nodeTimeoutMs)
      if (alive)
        throw new UsageError('a gateway is running on this database, or was moments ago; stop it first')
      const empty =
        (await store.devices()).length === 0 &&
        (await store.keys()).length === 0 &&
        (await store.events(0, 1)).length === 0
      if (!empty && !given.flag('replace'))
        throw new UsageError('the database is not empty; --replace throws away what it holds')
    })
    const { messages, held } = await readBackup(config.DATABASE_URL, file, Date.now)
    output.show({ messages, held }, () =>
      [
        `Restored ${messages} messages from ${file}.`,
        ...(held > 0 ? [`${held} were not settled and are held; look at them with: basestation held`] : []),
      ].join('\n'),
    )
    return undefined
  },
}

export const backupCommands: readonly Command[] = [backup, restore]
