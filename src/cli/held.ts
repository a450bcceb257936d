/** basestation held: what a restore holds back, and letting it go. */

import type { Command } from './command.ts'
import { counted } from './output.ts'
import { withStore } from './with-store.ts'

const step = 1_000

export const held: Command = {
  name: 'held',
  about: 'Count messages held after a restore, or release them',
  options: { release: { type: 'boolean', about: 'release the held messages' } },
  more: 'After a restore, messages that were queued or with a device at the time of the backup are held: they may have been\nsent since. --release sends the queued ones; those that a device had taken wait for its answer and are not sent again.',
  run: context =>
    withStore(context, async store => {
      const { given, output } = context
      if (!given.flag('release')) {
        const count = await store.heldCount()
        output.show({ held: count }, () => `${counted(count, 'message')} held.`)
        return undefined
      }
      const sum = { queued: 0, taken: 0 }
      for (;;) {
        const { queued, taken } = await store.unhold(step)
        sum.queued += queued
        sum.taken += taken
        if (queued + taken < step) break
      }
      output.show(
        { released: sum.queued + sum.taken, ...sum },
        () =>
          `Released: ${counted(sum.queued, 'queued message')}, sent as soon as the device can; ${counted(sum.taken, 'message')} that a device had taken, not sent again.`,
      )
      return undefined
    }),
}
