/** basestation send: a message over HTTP. */

import type { SendRequest } from '../../sdk/src/index.ts'
import { type Command, required, UsageError } from './command.ts'
import { watch } from './watch.ts'
import { clientOf, clientOptions } from './with-client.ts'

export const send: Command = {
  name: 'send',
  about: 'Send a message',
  options: {
    to: { type: 'string', value: '+…', about: 'recipient in international format' },
    message: { type: 'string', value: 'TEXT', about: 'the text' },
    device: { type: 'string', value: 'ID', about: 'device to use (default: chosen automatically)' },
    'media-url': { type: 'string', value: 'URL', about: 'media file to attach (WhatsApp)' },
    ttl: {
      type: 'string',
      value: 'SECONDS',
      about: 'how long it stays valid, 60 to 604800 (default: a day)',
    },
    'send-at': { type: 'string', value: 'TIME', about: 'when to send it, in ISO 8601 (default: at once)' },
    'sim-slot': { type: 'string', value: 'N', about: 'SIM to send from, counted from 1' },
    watch: { type: 'boolean', about: 'show its states until it is settled' },
    ...clientOptions,
  },
  more: 'Exit code with --watch: 0 once it is delivered, or sent a minute ago without a delivery report; 1 when it ended badly.',
  async run(context) {
    const { given, output } = context
    const client = clientOf(context)
    const answer = await client.send(requestOf(given))
    output.step(
      answer,
      () => `${answer.message_id}  ${answer.status} for ${answer.to} on device ${answer.device_id}`,
    )
    return given.flag('watch') ? await watch(client, answer.message_id, output, answer.status) : undefined
  },
}

function requestOf(given: Parameters<typeof required>[0]): SendRequest {
  const device = given.text('device')
  const media = given.text('media-url')
  const ttl = given.text('ttl')
  const sendAt = given.text('send-at')
  if (ttl !== undefined && !/^\d{1,9}$/.test(ttl)) throw new UsageError('--ttl must be a number of seconds')
  const slot = given.text('sim-slot')
  if (slot !== undefined && !/^[1-8]$/.test(slot))
    throw new UsageError('--sim-slot must be a number from 1 to 8')
  return {
    to: required(given, 'to'),
    message: required(given, 'message'),
    ...(device !== undefined && { device_id: device }),
    ...(media !== undefined && { media_url: media }),
    ...(ttl !== undefined && { ttl: Number(ttl) }),
    ...(sendAt !== undefined && { send_at: sendAt }),
    ...(slot !== undefined && { sim_slot: Number(slot) }),
  }
}
