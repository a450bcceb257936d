/** basestation cancel: take a message back. */

import type { Command } from './command.ts'
import { clientOf, clientOptions } from './with-client.ts'

export const cancel: Command = {
  name: 'cancel',
  about: 'Cancel a message that was not sent yet',
  words: ['ID'],
  options: clientOptions,
  more: 'If a phone has the message already, this waits up to ten seconds for the phone to confirm.',
  async run(context) {
    const [id = ''] = context.given.words
    const { data } = await clientOf(context).cancel(id)
    context.output.show(data, () => `Canceled ${data.message_id}.`)
    return undefined
  },
}
