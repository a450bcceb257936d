/** basestation secrets: going on without the key that sealed them. */

import { requireFittingKey } from '../secrets/secret-key.ts'
import { deskBeside } from '../webhooks.ts'
import { type Command, Refusal } from './command.ts'
import { counted } from './output.ts'
import { requireStopped, withStore } from './with-store.ts'

const reset: Command = {
  name: 'secrets reset',
  about: 'Give everything that was sealed with a lost secret key a new secret',
  options: { yes: { type: 'boolean', about: 'do it: the old secrets cannot be had back' } },
  more: `Webhooks get new signing secrets, which their receivers must be given. One-time codes of people are switched off.
WhatsApp numbers have to be linked again. Stop the gateway first.`,
  async run(context) {
    const { config, given, output } = context
    if (!given.flag('yes'))
      throw new Refusal('this replaces every sealed secret; add --yes if the secret key is really lost')
    await withStore(context, async store => {
      await requireStopped(store)
      const { desk, close } = deskBeside({ config, store, now: Date.now })
      await store.forgetSealed()
      const renewed: { id: string; url: string; secret: string }[] = []
      const environments = await store.environments()
      for (const { id, environmentId, url } of await store.webhooks()) {
        const environment = environments.find(one => one.id === environmentId)!
        const { secret } = await desk.rotate(environment, id, 0)
        renewed.push({ id, url, secret })
      }
      close()
      await requireFittingKey(store, config)
      output.show({ webhooks: renewed }, () =>
        [
          `Done: ${counted(renewed.length, 'webhook')} with a new secret.`,
          ...renewed.map(({ url, secret }) => `  ${url}  ${secret}`),
          'One-time codes are off. Link WhatsApp numbers again: npx basestation devices link ID',
        ].join('\n'),
      )
    })
    return undefined
  },
}

export const secretCommands: readonly Command[] = [reset]
