/** basestation secrets: another key to seal them with, also when the present one is lost. */

import { shortestKey } from '../config.ts'
import { resetKey, rotateKey } from '../secrets/secret-key.ts'
import { adminBeside } from '../wiring/webhooks.ts'
import { type Command, Refusal, UsageError } from './command.ts'
import { counted } from './output.ts'
import { secretFrom } from './secret-file.ts'
import { requireStopped, withStore } from './with-store.ts'

const reset: Command = {
  name: 'secrets reset',
  about: 'Replace every secret that was sealed with a lost secret key',
  options: { yes: { type: 'boolean', about: 'confirm: the old secrets cannot be recovered' } },
  more: `Webhooks get new signing secrets, which their receivers must be given. Two-factor authentication of users is turned off.
WhatsApp numbers have to be linked again. Stop the gateway first.`,
  async run(context) {
    const { config, given, output } = context
    if (!given.flag('yes'))
      throw new Refusal('this replaces every sealed secret; add --yes if the secret key is really lost')
    await withStore(context, async store => {
      await requireStopped(store)
      const sealer = await resetKey(store, config)
      const { admin, close } = adminBeside({ config, sealer, store, now: Date.now })
      const renewed: { id: string; url: string; secret: string }[] = []
      const environments = await store.environments()
      for (const { id, environmentId, url } of await store.allWebhooks()) {
        const environment = environments.find(one => one.id === environmentId)!
        const { secret } = await admin.rotate(environment, id, 0)
        renewed.push({ id, url, secret })
      }
      close()
      output.show({ webhooks: renewed }, () =>
        [
          `Done: ${counted(renewed.length, 'webhook')} with a new secret.`,
          ...renewed.map(({ url, secret }) => `  ${url}  ${secret}`),
          'Two-factor authentication is off. Link WhatsApp numbers again: npx basestation devices link ID',
        ].join('\n'),
      )
    })
    return undefined
  },
}

const rotate: Command = {
  name: 'secrets rotate',
  about: 'Seal everything with a new secret key',
  options: {
    'new-key-file': {
      type: 'string',
      value: 'F',
      about: 'file with what will be SECRET_KEY (default: a new secret.key)',
    },
  },
  more: `Nothing else changes: webhooks keep their secrets, and WhatsApp numbers stay linked. Stop the gateway first. Other nodes need
the new key as well. Backups from before need the old one.`,
  async run(context) {
    const { config, given, output } = context
    const next = secretFrom(given, 'new-key-file')
    if (config.SECRET_KEY !== undefined && next === undefined)
      throw new Refusal('SECRET_KEY is set; say with --new-key-file which one comes next')
    if (next !== undefined && next.length < shortestKey)
      throw new UsageError(`--new-key-file: must have at least ${shortestKey} characters`)
    await withStore(context, async store => {
      await requireStopped(store)
      const { before, after, oldFile } = await rotateKey(store, config, next)
      output.show({ before, after, ...(oldFile !== undefined && { old_file: oldFile }) }, () =>
        [
          `Done: everything is sealed with the key ${after}; before it was ${before}.`,
          ...(next === undefined ? [] : ['Set SECRET_KEY to the new key before you start the gateway.']),
          ...(oldFile === undefined
            ? []
            : [`The old key is in ${oldFile}. Only backups from before need it; keep it where they are.`]),
        ].join('\n'),
      )
    })
    return undefined
  },
}

export const secretCommands: readonly Command[] = [rotate, reset]
