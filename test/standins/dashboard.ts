/** The dashboard in a real browser, against a real gateway. Anything it complains of fails the test. */

import assert from 'node:assert/strict'
import { after, afterEach, before } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { accountsOn } from '../../src/wiring/accounts.ts'
import { buildWeb } from '../../tools/build-web.ts'
import { browserPath, launch } from './browser.ts'
import { scratch } from './databases.ts'
import { patienceMs, startGateway, type TestGateway, type TestOptions } from './gateway.ts'

export const password = 'four words make one'
export const owner = 'owner@example.org'

const path = browserPath()
if (path === undefined) {
  const words =
    'The dashboard’s tests were SKIPPED: there is no browser. Set CHROME_PATH, or install chromium.'
  if (process.env.CI) throw new Error(words)
  console.error(`\n${'!'.repeat(100)}\n${words}\n${'!'.repeat(100)}\n`)
}

/** For `describe`: without a browser there is nothing to see. */
export const skip = path === undefined && 'there is no browser'

/** One for all dashboards of this process. */
let browser: Promise<Browser> | undefined
after(async () => await (await browser)?.close())

export class Dashboard {
  gateway!: TestGateway
  #browser!: Browser
  /** What people type, if it is not where the gateway listens. */
  #address: string | undefined
  readonly #visitors: BrowserContext[] = []
  /** The owner's browser, signed in once, with what it has loaded already. */
  #owner: BrowserContext | undefined
  /** What browsers complained of. */
  readonly complaints: string[] = []

  /** Starts and stops with the tests around it. */
  constructor(options: () => Promise<TestOptions> | TestOptions = () => ({})) {
    before(async () => {
      if (path === undefined) return
      await buildWeb()
      const { settings, ...rest } = await options()
      this.#address = settings?.PUBLIC_URL
      this.gateway = await startGateway({ pace: 1, ...rest, settings: { DATA_DIR: scratch(), ...settings } })
      browser ??= launch(path)
      this.#browser = await browser
    })
    // A page that stays open follows everything that happens, and is drawn again each time.
    afterEach(async () => {
      await Promise.all(this.#visitors.splice(0).map(context => context.close()))
      await Promise.all(this.#owner?.pages().map(page => page.close()) ?? [])
    })
    after(async () => {
      if (path === undefined) return
      await this.#owner?.close()
      await this.gateway.stop()
      assert.deepEqual(this.complaints, [])
    })
  }

  get accounts() {
    return accountsOn(this.gateway.store, this.gateway.sealer, Date.now)
  }

  /** A browser of its own, with nothing in it. */
  async visit(): Promise<Page> {
    const context = await this.#newBrowser()
    this.#visitors.push(context)
    return await this.#open(context)
  }

  async #newBrowser(): Promise<BrowserContext> {
    const context = await this.#browser.newContext({
      baseURL: this.#address ?? this.gateway.url,
      colorScheme: 'light',
      viewport: { width: 1280, height: 900 },
    })
    context.setDefaultTimeout(patienceMs)
    return context
  }

  async #open(context: BrowserContext): Promise<Page> {
    const page = await context.newPage()
    page.on('console', message => {
      // A refusal that the page shows in words is one in the console as well.
      const isRefusal = message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !isRefusal) this.complaints.push(message.text())
    })
    page.on('pageerror', error => this.complaints.push(String(error)))
    return page
  }

  /** An owner, without the steps that lead to one. */
  async setUp(): Promise<void> {
    const { token } = await this.accounts.ticket('setup', 'test')
    await this.accounts.redeem(token, { email: owner, password }, { address: '127.0.0.1', agent: 'test' })
  }

  async signIn(page: Page, email = owner): Promise<void> {
    await page.goto('/')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('main#main h1').waitFor()
  }

  /** Signed in, at a page. */
  async at(to: string, { isNarrow = false } = {}): Promise<Page> {
    if (this.#owner === undefined) {
      this.#owner = await this.#newBrowser()
      const first = await this.#open(this.#owner)
      await this.signIn(first)
      await first.close()
    }
    const page = await this.#open(this.#owner)
    if (isNarrow) await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(to)
    await page.locator('main#main h1').waitFor()
    return page
  }
}
