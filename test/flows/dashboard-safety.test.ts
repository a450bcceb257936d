/** What the dashboard must never do: run what strangers write, leave anybody out, or grow without end. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { Basestation } from '../../sdk/src/index.ts'
import { scopes } from '../../src/core/access/key.ts'
import { ticketUrl } from '../../src/core/access/user.ts'
import { Dashboard, skip } from '../standins/dashboard.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Each would say `hacked` to the page, if anything in it were taken for more than text. */
const corpus = [
  '<script>window.hacked=1</script>',
  '"><img src=x onerror="window.hacked=1">',
  "'><svg onload=window.hacked=1>",
  'javascript:window.hacked=1',
  '<a href="javascript:window.hacked=1">click</a>',
  '<iframe srcdoc="<script>parent.hacked=1</script>">',
  '{{constructor.constructor("window.hacked=1")()}}',
  `\${window.hacked=1}`,
  '</title></textarea></style><script>window.hacked=1</script>',
  '<math><mtext></p><style><img src=x onerror=window.hacked=1>',
  '\u202Egnp.exe <b>bold</b>',
  '=HYPERLINK("http://evil.example","x")',
  '50% OFF a%2Fb',
]

const pages = [
  '/staging',
  '/staging/messages',
  '/staging/messages/new',
  '/staging/messages/bulk',
  '/staging/inbox',
  '/staging/devices',
  '/staging/devices/add',
  '/staging/keys',
  '/staging/webhooks',
  '/staging/opt-outs',
  '/staging/nodes',
  '/staging/settings',
  '/staging/reference',
  '/production',
  '/team',
  '/audit',
  '/account',
]

describe('the dashboard is safe, for all, and small', { skip }, () => {
  const dashboard = new Dashboard()
  let program: Basestation
  /** Pages about one thing. */
  let details: string[] = []
  before(async () => {
    const { gateway } = dashboard
    await dashboard.setUp()
    const device = await gateway.device('staging', { name: 'Front desk' })
    program = new Basestation({ url: gateway.url, key: await gateway.key('staging', { scopes }) })
    await gateway.fleet.refresh()
    for (const [index, text] of corpus.entries()) {
      await gateway.device('staging', { name: text.slice(0, 90) })
      await gateway.reception.receive({
        deviceId: device.id,
        sender: index % 2 === 0 ? text.slice(0, 60) : `+1555010${1000 + index}`,
        text,
        type: 'whatsapp',
        metadata: {
          media: [
            { id: crypto.randomUUID(), kind: 'document', mime: 'text/html', size: 9, filename: text },
            { id: crypto.randomUUID(), kind: 'image', mime: 'image/svg+xml', size: 9, filename: text },
          ],
        },
        externalId: `x-${index}`,
      })
      await program.send({ to: `+1555010${2000 + index}`, message: text, device_id: device.id })
      await program.addKey({ name: text.slice(0, 90), scopes: ['messages:read'] })
    }
    const phone = await gateway.device('staging', { name: 'With an app', kind: 'android' })
    const { data: webhook } = await program.addWebhook({ url: 'https://example.org/hook' })
    const { data: messages } = await program.messages()
    const { data: people } = await program.conversations()
    details = [
      `/staging/messages/${messages[0]!.message_id}`,
      `/staging/inbox/${encodeURIComponent(people[0]!.person)}`,
      `/staging/webhooks/${webhook.id}`,
      `/staging/devices/${phone.id}/connect`,
      '/staging/nothing',
    ]
  })

  const open = async (page: Page, to: string) => {
    // As a link does, without loading everything once more.
    await page.evaluate(path => {
      history.pushState(null, '', path)
      dispatchEvent(new PopStateEvent('popstate'))
    }, to)
    await page.waitForFunction(path => location.pathname === path, to)
    await page.locator('main#main h1').waitFor()
    await page.waitForFunction(() => document.querySelector('.bones') === null)
    await page.waitForTimeout(150)
  }
  const isHacked = (page: Page) => page.evaluate(() => 'hacked' in window)

  test('what strangers write is text on every page, and nothing else', async () => {
    const page = await dashboard.at('/staging')
    page.on('dialog', () => assert.fail('a page opened a dialog'))
    for (const to of [...pages, ...details]) {
      await open(page, to)
      assert.equal(await isHacked(page), false, to)
      assert.equal(
        await page.locator('main script, main iframe, main math, main a[href^="javascript:"]').count(),
        0,
        to,
      )
      // However long they write, nothing is wider than a phone's screen.
      await page.setViewportSize({ width: 390, height: 844 })
      const { overflow, wide } = await page.evaluate(() => ({
        overflow: document.documentElement.scrollWidth - innerWidth,
        wide: [...document.querySelectorAll('body *')]
          .filter(element => element.getBoundingClientRect().right > innerWidth)
          .map(element => element.outerHTML.slice(0, 120)),
      }))
      assert.ok(overflow <= 0, `${to} is too wide: ${wide.join('\n')}`)
      await page.setViewportSize({ width: 1280, height: 900 })
    }
    await open(page, '/staging/messages')
    await page.locator('td.text', { hasText: '<script>window.hacked=1</script>' }).first().waitFor()
    for (const row of (await page.locator('tr.opens a').all()).slice(0, 6)) {
      await row.click()
      await page.getByRole('dialog').locator('.timeline').waitFor()
      assert.equal(await isHacked(page), false)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog', { name: 'Message' }).waitFor({ state: 'detached' })
    }
    await open(page, '/staging/inbox')
    const people = await page.locator('.people a').count()
    assert.equal(people, corpus.length)
    for (let n = 0; n < people; n += 1) {
      await page.locator('.people a').nth(n).click()
      await page.locator('.turn').first().waitFor()
      assert.equal(await isHacked(page), false)
    }
    await open(page, '/staging/devices')
    for (const button of (await page.locator('td .plain-link').all()).slice(0, 6)) {
      await button.click()
      await page.getByRole('dialog').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').first().waitFor({ state: 'detached' })
    }
    assert.equal(await isHacked(page), false)
    // A name that would be written backwards shows how it is spelt.
    await page.getByText('\\u202egnp.exe').first().waitFor()
  })
  test('a page runs no script but ours, takes nothing from elsewhere, and is in nobody’s frame', async () => {
    const { gateway } = dashboard
    const { headers } = await gateway.ask('GET', '/')
    assert.ok(headers)
    const page = await gateway.ask('GET', '/', { headers: { accept: 'text/html' } })
    const policy = page.headers.get('content-security-policy')!
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ])
      assert.ok(policy.includes(rule), rule)
    assert.ok(!policy.includes('unsafe'))
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(page.headers.get('cross-origin-opener-policy'), 'same-origin')
    assert.ok(
      !/<script>|onclick=|style="|https?:\/\//.test(page.text),
      'nothing within the page, nothing from elsewhere',
    )
  })
  test('addresses that are no page stay errors for programs, and what does not exist is not served', async () => {
    const { gateway } = dashboard
    assert.equal((await gateway.ask('GET', '/nothing')).status, 404)
    assert.equal((await gateway.ask('GET', '/nothing')).body.code, 'not_found')
    assert.equal((await gateway.ask('POST', '/')).status, 404)
    for (const path of [
      '/assets/../index.html',
      '/made-from.txt',
      '/assets/none.js',
      '/..%2fpackage.json',
      '/api/v2/x',
    ])
      assert.equal(
        (await gateway.ask('GET', path, { headers: { accept: 'text/html' } })).text.includes('"basestation"'),
        false,
      )
    assert.equal(
      (await gateway.ask('GET', '/assets/none.js', { headers: { accept: 'text/html' } })).status,
      404,
    )
  })
  test('the first page needs less than 200 kB of script, zipped', async () => {
    const page = await dashboard.visit()
    const scripts: Promise<Buffer>[] = []
    page.on('response', response => {
      if (response.request().resourceType() === 'script') scripts.push(response.body())
    })
    await dashboard.signIn(page)
    await page.locator('figure.chart').waitFor()
    const bytes = (await Promise.all(scripts)).reduce((sum, script) => sum + gzipSync(script).length, 0)
    assert.ok(bytes > 10_000 && bytes < 200_000, `${bytes} bytes`)
    console.log(`script of the first page, zipped: ${Math.round(bytes / 1_000)} kB`)
  })
  /** What axe finds to be serious on a page, in either theme. They differ in colours alone. */
  const seriousOn = async (page: Page) => {
    // Past the policy of the page, which would refuse it as it refuses any other stranger.
    const client = await page.context().newCDPSession(page)
    const { result: known } = await client.send('Runtime.evaluate', { expression: 'typeof axe' })
    if (known.value === 'undefined') await client.send('Runtime.evaluate', { expression: axe })
    const found: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const { result } = await client.send('Runtime.evaluate', {
        expression: `axe.run(document, { resultTypes: ['violations']${colorScheme === 'dark' ? ", runOnly: ['color-contrast']" : ''} }).then(({ violations }) => JSON.stringify(
          violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
            .map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 200) + ' ' + failureSummary)])))`,
        awaitPromise: true,
      })
      if (result.value !== '[]') found.push(`${page.url()}, ${colorScheme}: ${result.value}`)
    }
    return found
  }
  for (const isNarrow of [false, true])
    test(`axe finds nothing serious on any page, light or dark, ${isNarrow ? 'narrow' : 'wide'}`, async () => {
      const page = await dashboard.at('/staging', { isNarrow })
      for (const to of isNarrow
        ? [...pages.slice(0, 3), ...details.slice(0, 2), '/staging/reference']
        : [...pages, ...details]) {
        await open(page, to)
        assert.deepEqual(await seriousOn(page), [])
      }
    })
  test('axe finds nothing serious on what is open above a page, or before one has signed in', async () => {
    const page = await dashboard.at('/staging/keys')
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByRole('dialog').waitFor()
    assert.deepEqual(await seriousOn(page), [])
    await open(page, '/staging/devices')
    await page.getByRole('button', { name: 'Front desk', exact: true }).click()
    await page.getByRole('dialog').waitFor()
    assert.deepEqual(await seriousOn(page), [])
    await page.goto(details[3]!)
    await page.getByRole('button', { name: 'Create a new token' }).click()
    await page.getByText('Waiting for the phone to register…').waitFor()
    assert.deepEqual(await seriousOn(page), [])
    const stranger = await dashboard.visit()
    await stranger.goto('/')
    await stranger.getByRole('button', { name: 'Sign in' }).waitFor()
    assert.deepEqual(await seriousOn(stranger), [])
    const { token } = await dashboard.accounts.ticket('invitation', 'test', {
      email: 'new@example.org',
      role: 'viewer',
    })
    await stranger.goto(ticketUrl(dashboard.gateway.url, 'invitation', token))
    await stranger.getByLabel('Password').waitFor()
    assert.deepEqual(await seriousOn(stranger), [])
  })
})
