/** Linking a WhatsApp number in the terminal: draws the code, renews it, and says how it ended. */

import { renderUnicodeCompact } from 'uqr'
import type { Device } from '../core/devices/device.ts'
import { kindOf } from '../core/devices/kinds/kinds.ts'
import type { Store } from '../core/store.ts'
import { openSealer } from '../secrets/secret-key.ts'
import { type Command, type Context, exitCodes, UsageError } from './command.ts'
import { onStop } from './signals.ts'
import { deviceNamed, withStore } from './with-store.ts'

type Target = Parameters<typeof import('../wiring/link-number.ts').linkNumber>[1]

/** Resolves with the exit code. */
export async function linkInTerminal(context: Context, store: Store, target: Target): Promise<number> {
  const { config, output } = context
  // Loaded only here: the library is large, and optional.
  const [{ linkNumber }, { makeLog }] = await Promise.all([
    import('../wiring/link-number.ts'),
    import('../host/log.ts'),
  ])
  const stop = new AbortController()
  onStop(() => stop.abort())
  const sealer = await openSealer(store, config)
  const parts = { store, config, sealer, log: makeLog('silent'), now: Date.now, signal: stop.signal }
  let codes = 0
  for await (const step of linkNumber(parts, target, true)) {
    if (step.step === 'qr') {
      codes += 1
      if (codes === 1) output.say(howTo)
      const seconds = Math.max(0, Math.round((Date.parse(step.expires_at) - Date.now()) / 1_000))
      const drawn = renderUnicodeCompact(step.qr, { ecc: 'L', border: 2 })
      output.step(step, () => `\n${drawn}\nValid for ${seconds} seconds.`)
    }
    if (step.step === 'code')
      output.step(
        step,
        () =>
          `\nOr choose “Link with phone number instead” and type: ${step.code.slice(0, 4)}-${step.code.slice(4)}`,
      )
    if (step.step === 'code_refused') output.step(step, () => `\n${step.detail}`)
    if (step.step === 'failed') {
      output.step(step, () => step.detail)
      return step.code === 'unreachable' ? exitCodes.unreachable : exitCodes.failed
    }
    if (step.step === 'linked') {
      const { id, name, phone } = step.device
      output.step({ step: 'linked', device: shown(step.device) }, () => `Linked ${name} (${id}) to ${phone}.`)
      return exitCodes.ok
    }
  }
  return exitCodes.failed
}

const howTo = [
  'Automating a linked number is against WhatsApp’s terms of use, and it may be blocked: docs/whatsapp.md.',
  'On the phone: WhatsApp → ⋮ or Settings → Linked devices → Link a device, then scan this code.',
].join('\n')

const shown = ({ id, name, kind, phone, environment }: Device) => ({ id, name, kind, phone, environment })

export const link: Command = {
  name: 'devices link',
  about: 'Link a WhatsApp device again after it was logged out',
  words: ['ID'],
  run: context =>
    withStore(context, async store => {
      const device = await deviceNamed(store, context.given.words[0] ?? '')
      if (kindOf(device).addedBy !== 'linking')
        throw new UsageError('only WhatsApp numbers that are linked to a phone are linked this way')
      return await linkInTerminal(context, store, { device })
    }),
}
