/** Takes the pictures of the README: a gateway with pretend traffic, in a real browser. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { readConfig } from '../src/config.ts'
import { makeLog } from '../src/host/log.ts'
import { build } from '../src/main.ts'
import { accountsOn } from '../src/wiring/accounts.ts'
import { prepareFirstRun } from '../src/wiring/first-run.ts'
import { browserPath, launch } from '../test/standins/browser.ts'
import { buildWeb } from './build-web.ts'
import { pretend } from './pretend.ts'

/** Where the pictures go; others than the README's are taken with --all, into the folder that follows it. */
const allAt = process.argv.indexOf('--all')
const folder = allAt === -1 ? join(import.meta.dirname, '../docs/pictures') : process.argv[allAt + 1]!
const password = 'a picture book of pages'

type Shot = { name: string; path: string; prepare?: (page: Page) => Promise<unknown> }

const shots: readonly Shot[] = [
  { name: 'home', path: '/staging' },
  { name: 'messages', path: '/staging/messages' },
  {
    name: 'message',
    path: '/staging/messages?status=failed',
    prepare: async page => await page.locator('tr.opens').first().click(),
  },
  {
    name: 'compose',
    path: '/staging/messages/new?to=%2B15550101234&text=Your%20caf%C3%A9%20table%20is%20booked%20%E2%80%93%20see%20you',
  },
  {
    name: 'bulk',
    path: '/staging/messages/bulk',
    prepare: async page => {
      await page
        .getByLabel('Numbers, one a line')
        .fill('name,number\nAnn,+15550101234\nBob,+15550105678\nBob,+15550105678\nCy,0155')
      await page.getByLabel('Message', { exact: true }).fill('Hi {name}, we open at nine.')
    },
  },
  {
    name: 'inbox',
    path: '/staging/inbox',
    prepare: async page => await page.locator('.people a').first().click(),
  },
  { name: 'devices', path: '/staging/devices' },
  {
    name: 'device',
    path: '/staging/devices',
    prepare: async page => await page.locator('td .plain-link').first().click(),
  },
  { name: 'add-device', path: '/staging/devices/add' },
  {
    name: 'connect-phone',
    path: '/staging/devices/add',
    prepare: async page => {
      await page.getByRole('button', { name: /Android phone/ }).click()
      await page.getByLabel('Name').fill('Warehouse')
      await page.getByRole('button', { name: 'Go on' }).click()
      await page.getByText('Waiting for the phone').waitFor()
    },
  },
  {
    name: 'cloud-number',
    path: '/staging/devices/add',
    prepare: async page => await page.getByRole('button', { name: /official API/ }).click(),
  },
  { name: 'keys', path: '/staging/keys' },
  {
    name: 'new-key',
    path: '/staging/keys',
    prepare: async page => await page.getByRole('button', { name: 'New key' }).click(),
  },
  { name: 'webhooks', path: '/staging/webhooks' },
  {
    name: 'webhook',
    path: '/staging/webhooks',
    prepare: async page => await page.locator('td.text a').first().click(),
  },
  {
    name: 'change-webhook',
    path: '/staging/webhooks',
    prepare: async page => {
      await page.locator('td.text a').first().click()
      await page.getByRole('button', { name: 'Change…' }).click()
    },
  },
  { name: 'opt-outs', path: '/staging/opt-outs' },
  { name: 'nodes', path: '/staging/nodes' },
  { name: 'settings', path: '/staging/settings' },
  { name: 'reference', path: '/staging/reference' },
  { name: 'team', path: '/team' },
  { name: 'audit', path: '/audit' },
  { name: 'account', path: '/account' },
  { name: 'production', path: '/production' },
]
const forReadme = ['home', 'messages', 'inbox']

const views = [
  { name: 'wide', width: 1440, height: 900 },
  { name: 'narrow', width: 390, height: 844 },
] as const

async function main(): Promise<void> {
  await buildWeb()
  const path = browserPath()
  if (path === undefined) throw new Error('There is no browser. Set CHROME_PATH, or install chromium.')
  const data = mkdtempSync(join(tmpdir(), 'basestation-pictures-'))
  const config = readConfig({ PORT: '0', DATA_DIR: data, RATE_LIMIT: '1000000', LOG_LEVEL: 'silent' })
  const gateway = await build(config, { log: makeLog('silent') })
  const url = await gateway.start()
  await prepareFirstRun(gateway.store)
  const accounts = accountsOn(gateway.store, gateway.sealer, Date.now)
  const { token } = await accounts.ticket('setup', 'pictures')
  await accounts.redeem(token, { email: 'owner@example.org', password }, { address: '127.0.0.1', agent: '' })
  const browser = await launch(path)
  try {
    await pretend(gateway, url)
    mkdirSync(folder, { recursive: true })
    for (const view of views)
      for (const colorScheme of ['light', 'dark'] as const) {
        if (allAt === -1 && view.name === 'narrow') continue
        const context = await browser.newContext({
          viewport: view,
          colorScheme,
          baseURL: url,
          deviceScaleFactor: 1,
        })
        const page = await context.newPage()
        await page.goto('/')
        await page.getByLabel('E-mail').fill('owner@example.org')
        await page.getByLabel('Password').fill(password)
        if (allAt !== -1)
          await page.screenshot({ path: join(folder, `login-${view.name}-${colorScheme}.png`) })
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.locator('main#main h1').waitFor()
        for (const { name, path: to, prepare } of shots) {
          if (allAt === -1 && !forReadme.includes(name)) continue
          await page.goto(to)
          await page.waitForLoadState('load')
          await page.locator('main h1').waitFor()
          await page.waitForTimeout(500)
          await prepare?.(page)
          await page.waitForTimeout(600)
          await page.screenshot({ path: join(folder, `${name}-${view.name}-${colorScheme}.png`) })
        }
        await context.close()
      }
  } finally {
    await browser.close()
    await gateway.stop()
    rmSync(data, { recursive: true, force: true })
  }
  // Libraries leave timers behind.
  process.exit(0)
}

await main()
