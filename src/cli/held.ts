/** basestation held: what a restore holds back, and letting it go. */

import { type Command, UsageError } from './command.ts'
import { withStore } from './with-store.ts'

const step = 1_000

export const held: Command = {
  name: 'held',
  about: 'Count what a restore holds back, or let it go',
  options: { release: { type: 'boolean', about: 'hand the held messages to their devices' } },
  more: 'After a restore, messages that were queued or with a device at the time of the backup are held: they may have been\nsent since. --release sends the queued ones; those that a device had already taken are never sent again.',
  run: context =>
    withStore(context, async store => {
      const { given, output } = context
      const count = await store.heldCount()
      if (!given.flag('release')) {
        output.show({ held: count }, () => `${count} messages are held.`)
        return undefined
      }
      if (count === 0) throw new UsageError('nothing is held')
      while ((await store.unhold(step)) === step);
      output.show({ released: count }, () => `Released ${count} messages.`)
      return undefined
    }),
}
