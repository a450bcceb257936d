/** basestation backup and restore. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyAdvice, keyFit, secretKeyPath } from '../secrets/secret-key.ts'
import { restore as readBackup, backup as writeBackup } from '../store/backup.ts'
import { type Command, Refusal } from './command.ts'
import { counted } from './output.ts'
import { requireStopped, withStore } from './with-store.ts'

const backup: Command = {
  name: 'backup',
  about: 'Write a consistent copy of the database, also while the gateway runs',
  words: ['FILE'],
  more: 'The copy is one SQLite file, whichever database it came from, and can be restored into either.',
  async run({ config, given, output }) {
    const [file = ''] = given.words
    if (existsSync(file)) throw new Refusal(`${file} exists already; a backup is never overwritten`)
    await writeBackup(config.DATABASE_URL, file, Date.now)
    const key = config.SECRET_KEY === undefined ? secretKeyPath(config.DATA_DIR) : 'SECRET_KEY'
    output.show({ file }, () =>
      [
        `Wrote ${file}.`,
        `Keep ${key} in another safe place: without it the webhook secrets and two-factor codes in the backup cannot be used.`,
        ...(config.MEDIA_STORE === 'folder'
          ? [`Received files are not in it: copy ${join(config.DATA_DIR, 'media')} too.`]
          : []),
      ].join('\n'),
    )
    return undefined
  },
}

const restore: Command = {
  name: 'restore',
  about: 'Restore a backup in place of the database',
  words: ['FILE'],
  options: { replace: { type: 'boolean', about: 'throw away what the database holds now' } },
  more: 'Stop the gateway first. Messages that were not settled at the time of the backup are held: see npx basestation held.',
  async run(context) {
    const { config, given, output } = context
    const [file = ''] = given.words
    if (!isBackup(file)) throw new Refusal(`${file} is not a backup`)
    await withStore(context, async store => {
      await requireStopped(store)
      const empty =
        (await store.allDevices()).length === 0 &&
        (await store.allKeys()).length === 0 &&
        (await store.events(0, 1)).length === 0
      if (!empty && !given.flag('replace'))
        throw new Refusal('the database is not empty; --replace throws away what it holds')
    })
    const { messages, held } = await readBackup(config.DATABASE_URL, file, Date.now)
    const fit = await withStore(context, store => keyFit(store, config))
    const warning = fit === 'missing' || fit === 'wrong' ? keyAdvice(fit, config) : undefined
    output.show({ messages, held, secret_key: fit, ...(warning && { warning }) }, () =>
      [
        `Restored ${counted(messages, 'message')} from ${file}.`,
        ...(held > 0
          ? [`Not settled and therefore held: ${held}. To let them go: npx basestation held --release`]
          : []),
        ...(warning === undefined ? [] : [`Before you start the gateway: ${warning}`]),
      ].join('\n'),
    )
    return undefined
  },
}

/** Every SQLite file begins with these words. */
const isBackup = (file: string) =>
  existsSync(file) && readFileSync(file).subarray(0, 15).toString() === 'SQLite format 3'

export const backupCommands: readonly Command[] = [backup, restore]
