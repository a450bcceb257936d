/** A real browser, for pages as people see them. */

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The first draws no window, and so takes less of the machine. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'google-chrome',
  'google-chrome-stable',
  'chromium-browser',
]

/** Where a browser is, if there is one. */
export function browserPath(): string | undefined {
  const given = process.env.CHROME_PATH
  if (given !== undefined && existsSync(given)) return given
  for (const name of names) {
    const found = spawnSync('which', [name], { encoding: 'utf8' })
    if (found.status === 0) return found.stdout.trim()
  }
  const own = chromium.executablePath()
  return existsSync(own) ? own : undefined
}

/** Finds a browser, or gets one: with playwright's own installer, or as root on Debian from its packages. */
export function findBrowser(): string | undefined {
  const there = browserPath()
  if (there !== undefined) return there
  process.stderr.write('No browser yet; fetching one for the dashboard’s tests…\n')
  const tries: [string, string[]][] = [
    [
      process.execPath,
      ['node_modules/playwright-core/cli.js', 'install', '--with-deps', 'chromium-headless-shell'],
    ],
    ...['chromium-headless-shell', 'chromium'].map((name): [string, string[]] => [
      'sh',
      ['-c', `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq ${name}`],
    ]),
  ]
  for (const [command, args] of tries) {
    if (command === 'sh' && process.getuid?.() !== 0) continue
    try {
      execFileSync(command, args, { stdio: 'ignore', timeout: 240_000 })
    } catch {
      // The next way, or none.
    }
    const found = browserPath()
    if (found !== undefined) return found
  }
  return undefined
}

/** What this machine is called, for a browser that shall take it for another one. */
export const otherName = 'gateway.lan'

export const launch = (executablePath: string): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      `--host-resolver-rules=MAP ${otherName} 127.0.0.1`,
      // Pages of its own that nobody sees, which cost more time than ours.
      '--disable-features=PreloadTopChromeWebUI,Translate,OptimizationHints,MediaRouter',
    ],
  })
