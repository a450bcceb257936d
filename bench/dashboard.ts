/** The dashboard in a browser: how soon it can be used, and how long it waits for anything in a long list. */

import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { readConfig } from '../src/config.ts'
import { openSealer } from '../src/secrets/secret-key.ts'
import { openStore } from '../src/store/open.ts'
import { accountsOn } from '../src/wiring/accounts.ts'
import { browserPath, launch } from '../test/standins/browser.ts'
import { buildWeb } from '../tools/build-web.ts'
import { median, Server } from './process.ts'
import { report } from './report.ts'
import { seedBacklog } from './seed.ts'

const owner = { email: 'owner@example.org', password: 'four words make one' }
const visits = 7
const messages = 1_000_000
const scrolls = 30

export async function dashboard(folder: string): Promise<void> {
  const path = browserPath()
  if (path === undefined) {
    console.log('skipped  dashboard: it needs a browser (CHROME_PATH)')
    return
  }
  await buildWeb()
  const database = join(folder, 'dashboard.db')
  await seedBacklog(database, messages)
  await addOwner(`sqlite:${database}`, folder)
  const server = await Server.start('durable', `sqlite:${database}`, { DATA_DIR: folder })
  const browser = await launch(path)
  try {
    const storageState = await signedIn(browser, server.url)
    const fresh = () => browser.newPage({ baseURL: server.url, storageState })
    await firstPage(fresh)
    await longList(await fresh())
  } finally {
    await browser.close()
    await server.stop()
  }
}

async function addOwner(url: string, folder: string): Promise<void> {
  const store = await openStore(url, { now: Date.now })
  const accounts = accountsOn(store, await openSealer(store, readConfig({ DATA_DIR: folder })), Date.now)
  const { token } = await accounts.ticket('setup', 'bench')
  await accounts.redeem(token, owner, { address: '127.0.0.1', agent: 'bench' })
  await store.close()
}

async function signedIn(browser: Browser, baseURL: string) {
  const page = await browser.newPage({ baseURL })
  await page.goto('/')
  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('main#main h1').waitFor()
  const state = await page.context().storageState()
  await page.context().close()
  return state
}

/** With nothing in the browser's cache, from the moment the address is opened. */
async function firstPage(fresh: () => Promise<Page>): Promise<void> {
  const found: { usable: number; whole: number; kB: number }[] = []
  for (let visit = 0; visit < visits; visit += 1) {
    const page = await fresh()
    await page.addInitScript(watch)
    await page.goto('/staging')
    await page.waitForFunction(() => 'notes' in window)
    found.push(
      await page.evaluate(() => ({
        ...(window as unknown as Window & { notes: { usable: number; whole: number } }).notes,
        kB:
          performance
            .getEntriesByType('resource')
            .filter(({ name }) => name.endsWith('.js'))
            .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0) / 1_000,
      })),
    )
    await page.context().close()
  }
  const middle = (name: 'usable' | 'whole' | 'kB') => median(found.map(one => one[name]))
  report('first page: kB of script, zipped', middle('kB'), 200, '', true)
  const whole = `all of Home after ${middle('whole').toFixed(0)} ms`
  report('first page: ms until it can be used', middle('usable'), 1_000, whole, true)
}

/** Runs in the page: notes when there is something to use, and when nothing is missing any more. */
function watch(): void {
  let usable: number | undefined
  new MutationObserver((_, observer) => {
    if (document.querySelector('main#main h1') === null) return
    usable ??= performance.now()
    if (document.querySelector('.bones') !== null || document.querySelector('figure.chart') === null) return
    Object.assign(window, { notes: { usable, whole: performance.now() } })
    observer.disconnect()
  }).observe(document, { childList: true, subtree: true })
}

async function longList(page: Page): Promise<void> {
  const rows = page.locator('tbody tr')
  // The first of its kind also compiles what it needs.
  await page.goto('/staging/messages')
  await rows.first().waitFor()
  let slowest = { ms: 0, path: '' }
  let requests = 0
  page.on('requestfinished', request => {
    const { requestStart, responseEnd } = request.timing()
    const { pathname, search } = new URL(request.url())
    if (!pathname.includes('/api/v1/messages')) return
    requests += 1
    const ms = responseEnd - requestStart
    if (ms > slowest.ms) slowest = { ms, path: pathname + search }
  })
  await page.goto('/staging/messages')
  await rows.first().waitFor()
  for (let n = 1; n <= scrolls; n += 1) {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await page.waitForFunction(least => document.querySelectorAll('tbody tr').length > least, n * 50)
  }
  await page.evaluate(() => scrollTo(0, 0))
  const answered = async (work: Promise<unknown>) => {
    const [response] = await Promise.all([
      page.waitForResponse(response => response.url().includes('/api/v1/messages')),
      work,
    ])
    await response.finished()
  }
  const state = page.getByLabel('State')
  for (const status of ['failed', 'delivered', 'queued', '']) await answered(state.selectOption(status))
  await answered(page.getByLabel('Device').selectOption({ label: 'Busy' }))
  await answered(page.getByLabel('From this day').fill('2020-01-01'))
  const search = page.getByLabel('Search for a number or words')
  for (const text of ['+15551000007', 'parcel', 'words that are nowhere']) await answered(search.fill(text))
  // What is looked up further back, while nothing was found yet, counts too.
  await page.waitForTimeout(1_000)
  const where = `of ${requests} requests; ${slowest.path}`
  report(
    `a list of ${messages.toLocaleString('en')}: ms of the slowest request`,
    slowest.ms,
    100,
    where,
    true,
  )
  await page.context().close()
}
