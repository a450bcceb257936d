/** basestation status: the status of a message. */

import type { Command } from './command.ts'
import { describe, watch } from './watch.ts'
import { clientOf, clientOptions } from './with-client.ts'

export const status: Command = {
  name: 'status',
  about: 'Show the status of a message',
  words: ['ID'],
  options: { watch: { type: 'boolean', about: 'show its states until it is settled' }, ...clientOptions },
  async run(context) {
    const { given, output } = context
    const client = clientOf(context)
    const [id = ''] = given.words
    if (given.flag('watch')) return watch(client, id, output)
    const { data } = await client.status(id)
    output.show(data, () => describe(data))
    return undefined
  },
}
