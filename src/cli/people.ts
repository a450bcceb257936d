/** basestation opt-outs and people: who wants no messages, and whom to forget. */

import { join } from 'node:path'
import { isoTime } from '../core/lib/time.ts'
import { Erasure } from '../core/people/erasure.ts'
import { normaliseNumber, personOf } from '../core/people/number.ts'
import { Problem } from '../core/problem.ts'
import { DiskRoom } from '../store/files/disk-room.ts'
import { MediaFolder } from '../store/files/media-folder.ts'
import { type Command, type Context, type Given, UsageError } from './command.ts'
import { counted, table } from './output.ts'
import { environmentNamed, environmentOption, withStore } from './with-store.ts'

const most = 1_000_000

/** `read`: how what was given is understood. */
function personIn({ words: [given = ''] }: Given, read: (given: string) => string | undefined): string {
  const person = read(given)
  if (person === undefined)
    throw new UsageError('the number must be in international format, such as +14155550123')
  return person
}

const withEnvironment = (
  context: Context,
  work: (at: {
    store: Parameters<Parameters<typeof withStore>[1]>[0]
    environment: { id: number; name: string }
    number: string
  }) => Promise<void>,
  read: ((given: string) => string | undefined) | null = normaliseNumber,
) =>
  withStore(context, async store => {
    const name = environmentNamed(context.given, 'production')
    const environment = (await store.environments()).find(one => one.name === name)!
    await work({ store, environment, number: read ? personIn(context.given, read) : '' })
    return undefined
  })

const list: Command = {
  name: 'opt-outs list',
  about: 'List numbers that opted out',
  options: { environment: environmentOption },
  run: context =>
    withEnvironment(
      context,
      async ({ store, environment }) => {
        const found = await store.optOuts(environment.id, { limit: most })
        const shown = found.map(({ number, source, createdAt }) => ({
          number,
          source,
          created_at: isoTime(createdAt),
        }))
        context.output.show(shown, () =>
          table(
            shown.map(one => ({ ...one, number: one.number ?? '(forgotten)', since: one.created_at })),
            ['number', 'source', 'since'],
            `Nobody has opted out in ${environment.name}.`,
          ),
        )
      },
      null,
    ),
}

const add: Command = {
  name: 'opt-outs add',
  about: 'Opt a number out; messages queued for it are canceled',
  words: ['NUMBER'],
  options: { environment: environmentOption },
  run: context =>
    withEnvironment(context, async ({ store, environment, number }) => {
      await store.optOut(environment.id, number, 'command line')
      context.output.show({ number }, () => `${number} gets no more messages from ${environment.name}.`)
    }),
}

const remove: Command = {
  name: 'opt-outs remove',
  about: 'Remove a number from the opt-outs',
  words: ['NUMBER'],
  options: { environment: environmentOption },
  run: context =>
    withEnvironment(context, async ({ store, environment, number }) => {
      if (!(await store.optIn(environment.id, number)))
        throw new Problem('opt_out_not_found', `${number} has not opted out in ${environment.name}.`)
      context.output.show({ number }, () => `${number} may be sent messages from ${environment.name} again.`)
    }),
}

const erase: Command = {
  name: 'people erase',
  about: 'Erase personal data: texts and numbers of one person, everywhere, for good',
  words: ['NUMBER'],
  options: { environment: environmentOption },
  more: 'Totals and pages stay as they are, and so does an opt-out, as a hash.',
  run: context =>
    withEnvironment(
      context,
      async ({ store, environment, number }) => {
        const folder = new MediaFolder(join(context.config.DATA_DIR, 'media'), {
          room: new DiskRoom(context.config.DATA_DIR, 0),
        })
        const erasure = new Erasure({
          store,
          environments: () => [],
          removeFile: id => folder.remove(id),
          now: Date.now,
          log: { debug() {}, info() {}, warn() {}, error() {} },
        })
        const counts = await erasure.erase(environment, number)
        context.output.show(counts, () =>
          [
            `In ${environment.name}: blanked ${counted(counts.messages, 'message')} to ${number}`,
            `${counted(counts.received, 'message')} from it, and removed ${counted(counts.files, 'file')}.`,
          ].join(', '),
        )
      },
      personOf,
    ),
}

export const peopleCommands: readonly Command[] = [list, add, remove, erase]
