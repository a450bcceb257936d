/** basestation serve: the gateway itself. */

import { networkInterfaces } from 'node:os'
import type { Config } from '../config.ts'
import { ticketUrl } from '../core/access/user.ts'
import { apiPaths } from '../core/environment.ts'
import { collectEarly } from '../host/gc.ts'
import { version } from '../host/version.ts'
import type { Basestation } from '../main.ts'
import { accountsOn } from '../wiring/accounts.ts'
import { type Command, exitCodes } from './command.ts'
import { onStop } from './signals.ts'

export const serve: Command = {
  name: 'serve',
  about: 'Run the gateway until it is stopped',
  more: 'Settings are environment variables; basestation config lists them.',
  async run({ config, output }) {
    // Loaded only here: other commands should not wait for a web server they do not need.
    const [{ prepareFirstRun }, { build }, { makeLog }] = await Promise.all([
      import('../wiring/first-run.ts'),
      import('../main.ts'),
      import('../host/log.ts'),
    ])
    collectEarly()
    const log = makeLog(config.LOG_LEVEL)
    let end: (code: number) => void = () => {}
    const ended = new Promise<number>(resolve => {
      end = resolve
    })
    const gateway = await build(config, {
      log,
      onFatal: () => setImmediate(() => process.exit(exitCodes.failed)),
    })
    let url: string
    try {
      url = await gateway.start()
    } catch (error) {
      await gateway.stop()
      if ((error as { code?: string }).code !== 'EADDRINUSE') throw error
      console.error(
        `Port ${config.PORT} is taken. Stop what listens there, or choose another: PORT=8081 npm start`,
      )
      return exitCodes.failed
    }
    // Only now: if the port was taken, the key would be created but never printed.
    const firstKey = await prepareFirstRun(gateway.store)
    await gateway.store.announce(url)
    const setup = await setupLink(gateway, url)
    const addresses = { url, production: url + apiPaths.production, staging: url + apiPaths.staging }
    output.step({ ...addresses, ...(setup !== undefined && { setup }), key: firstKey }, () =>
      [...noteAboutHost(config), welcome(url, setup, firstKey)].join('\n'),
    )
    onStop(() =>
      gateway.stop().then(
        () => end(exitCodes.ok),
        error => {
          log.error({ err: error }, 'could not stop cleanly')
          end(exitCodes.failed)
        },
      ),
    )
    const code = await ended
    // The library for WhatsApp leaves timers behind that would keep the process for half a minute.
    return process.exit(code)
  },
}

/** Until somebody has set the dashboard up, each start makes a link with which one can. */
async function setupLink({ store, sealer }: Basestation, url: string): Promise<string | undefined> {
  const accounts = accountsOn(store, sealer, Date.now)
  if (await accounts.isSetUp()) return undefined
  const { token } = await accounts.ticket('setup', 'start')
  return ticketUrl(url, 'setup', token)
}

/** It listens on every address but prints a local one, which other machines cannot use. */
function noteAboutHost({ HOST, PUBLIC_URL, PORT }: Config): string[] {
  if (!['0.0.0.0', '::'].includes(HOST) || !/\/\/127\.0\.0\.1(:|$)/.test(PUBLIC_URL)) return []
  const own = Object.values(networkInterfaces())
    .flat()
    .find(one => one?.family === 'IPv4' && !one.internal)?.address
  return [
    `Listening on every address. To open the dashboard from another machine, set PUBLIC_URL to this machine's address, such as ${`http://${own ?? 'ADDRESS'}:${PORT}`}`,
    '',
  ]
}

function welcome(url: string, setup: string | undefined, firstKey: string | undefined): string {
  const addresses = [
    `Basestation ${version} is running.`,
    '',
    `  Production  ${url}${apiPaths.production}`,
    `  Staging     ${url}${apiPaths.staging}`,
    `  Reference   ${url}/docs`,
    `  Dashboard   ${setup ?? url}`,
    ...(setup === undefined
      ? []
      : ['              The link works once, within an hour. Open it to set the dashboard up.']),
    '',
  ]
  if (firstKey === undefined) return [...addresses, 'Stop the gateway with Ctrl-C.', ''].join('\n')
  return [
    ...addresses,
    'This is the first start: staging now has a simulated phone and an API key. The key is shown only this once:',
    '',
    `  ${firstKey}`,
    '',
    'Send a first message through the simulated phone:',
    '',
    `  curl ${url}${apiPaths.staging}/sms/send \\`,
    `    -H 'Authorization: Bearer ${firstKey}' \\`,
    "    -H 'Content-Type: application/json' \\",
    `    -d '{"to": "+15550101234", "message": "Hello from Basestation"}'`,
    '',
    'Then check its status, with the message_id from the response:',
    '',
    `  curl ${url}${apiPaths.staging}/sms/status/MESSAGE_ID -H 'Authorization: Bearer ${firstKey}'`,
    '',
    'Stop the gateway with Ctrl-C.',
    '',
  ].join('\n')
}
