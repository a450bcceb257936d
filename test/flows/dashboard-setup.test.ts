/** The first minutes with the dashboard, and coming back to it. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { totpCode, totpStepAt } from '../../src/core/access/totp.ts'
import { ticketUrl } from '../../src/core/access/user.ts'
import { otherName } from '../standins/browser.ts'
import { Dashboard, owner, password, skip } from '../standins/dashboard.ts'
import { until } from '../standins/gateway.ts'
import { freePort } from '../standins/port.ts'

describe('the first run', { skip }, () => {
  const dashboard = new Dashboard()

  test('until set-up is done no page is reachable, and it says how to go on', async () => {
    const page = await dashboard.visit()
    for (const to of ['/', '/staging/messages', '/team', '/login']) {
      await page.goto(to)
      await page.getByText('npx basestation setup-link').waitFor()
    }
    await page.goto('/setup#wrong')
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  })
  test('the link leads to an owner, a message seen on its way, a key shown once, and a line that works', async () => {
    const { gateway, accounts } = dashboard
    const { token } = await accounts.ticket('setup', 'test')
    const page = await dashboard.visit()
    await page.goto(ticketUrl(gateway.url, 'setup', token))
    await page.getByLabel('E-mail').fill(owner)
    await page.getByLabel('Password').fill('password1234')
    await page.getByRole('button', { name: 'Create the owner' }).click()
    await page.getByText('too easy to guess').waitFor()
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Create the owner' }).click()
    await page.getByRole('button', { name: 'Send it' }).click()
    await page.locator('.way li.done', { hasText: 'queued' }).waitFor()
    await page.locator('.way li.done', { hasText: 'delivered' }).waitFor()
    await page.getByRole('button', { name: 'Create an API key' }).click()
    const key = await page.locator('.secret code').first().innerText()
    assert.match(key, /^bs_test_/)
    const line = await page.locator('.secret.tall code').innerText()
    // The line as it is copied, run as a shell would.
    const { stdout } = await promisify(execFile)('sh', ['-c', line])
    const answer = JSON.parse(stdout)
    assert.equal(answer.success, true)
    await page.getByRole('button', { name: 'Open the dashboard' }).click()
    await page.getByRole('heading', { name: 'Staging' }).waitFor()
    const used = await dashboard.visit()
    await used.goto(ticketUrl(gateway.url, 'setup', token))
    await used.getByRole('heading', { name: 'This link does not work' }).waitFor()
    await used.getByText('The gateway is set up already.').waitFor()
    await page.goto('/staging/keys')
    await page.getByText('My first key').waitFor()
    assert.ok(!(await page.content()).includes(key))
  })
  test('a wrong password is refused in words; the right one leads where one was', async () => {
    const page = await dashboard.visit()
    await page.goto('/staging/messages')
    await page.getByLabel('E-mail').fill(owner)
    await page.getByLabel('Password').fill('not this one at all')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The e-mail address or the password is wrong.').waitFor()
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Messages' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
  test('a session that ends takes nothing away: whoever signs in again goes on, and nobody else sees it', async () => {
    const page = await dashboard.visit()
    await dashboard.signIn(page)
    const guest = 'guest@example.org'
    const { token } = await dashboard.accounts.ticket('invitation', 'test', { email: guest, role: 'viewer' })
    await dashboard.accounts.redeem(token, { password }, { address: '127.0.0.1', agent: 'test' })
    await page.goto('/staging/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await page.getByLabel('Address').fill('https://shop.example/half-typed')
    const ended = async () => {
      await page.context().clearCookies()
      await page.getByRole('button', { name: 'Add it' }).click()
      await page.getByText('Your session has ended.').waitFor()
      assert.equal(await page.getByLabel('Address').isVisible(), false)
    }
    const signInAs = async (email: string) => {
      await page.getByLabel('E-mail').fill(email)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await ended()
    await signInAs(owner)
    await page.getByRole('dialog').getByLabel('Address').waitFor()
    assert.equal(await page.getByLabel('Address').inputValue(), 'https://shop.example/half-typed')
    await ended()
    await signInAs(guest)
    await page.getByRole('heading', { name: 'Staging' }).waitFor()
    assert.equal(await page.getByLabel('Address').count(), 0)
  })
  test('a page whose person signed out beside it, and another in, starts over', async () => {
    const page = await dashboard.visit()
    await dashboard.signIn(page)
    await page.goto('/staging/messages/new?to=%2B15550101234&text=private')
    await page.getByLabel('Message').waitFor()
    const beside = await page.context().newPage()
    await beside.goto('/staging')
    await beside.getByRole('button', { name: 'Sign out' }).first().click()
    await beside.getByLabel('E-mail').fill('guest@example.org')
    await beside.getByLabel('Password').fill(password)
    await beside.getByRole('button', { name: 'Sign in' }).click()
    await beside.locator('main#main h1').waitFor()
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await page.getByRole('heading', { name: 'Staging' }).waitFor()
    assert.equal(await page.evaluate(() => sessionStorage.length), 0)
    assert.ok(!page.url().includes('private'))
  })
  test('one-time codes, a session ended elsewhere, and a new password', async () => {
    const page = await dashboard.at('/account')
    const elsewhere = await dashboard.visit()
    await dashboard.signIn(elsewhere)
    await page.reload()
    await page.getByRole('button', { name: 'End it' }).first().waitFor()
    for (const _ of await page.getByRole('button', { name: 'End it' }).all())
      await page.getByRole('button', { name: 'End it' }).first().click()
    await until('the other is asked to sign in', async () => {
      await elsewhere.goto('/staging/devices')
      return await elsewhere.getByRole('button', { name: 'Sign in' }).isVisible()
    })
    await page.getByRole('button', { name: 'Turn on' }).click()
    const secret = await page.locator('.secret code').innerText()
    await page.getByLabel('Code', { exact: true }).fill(totpCode(secret, totpStepAt(Date.now()) - 1))
    await page.getByLabel('Your password').fill(password)
    await page.getByRole('button', { name: 'Turn it on' }).click()
    await page.getByRole('button', { name: 'Turn off' }).waitFor()
    const next = await dashboard.visit()
    await next.goto('/')
    await next.getByLabel('E-mail').fill(owner)
    await next.getByLabel('Password').fill(password)
    await next.getByRole('button', { name: 'Sign in' }).click()
    await next.getByLabel('Code from your authenticator app').fill(totpCode(secret, totpStepAt(Date.now())))
    await next.getByRole('button', { name: 'Sign in' }).click()
    await next.locator('main#main h1').waitFor()
    await page.getByLabel('Password to turn it off').fill(password)
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByRole('button', { name: 'Turn on' }).waitFor()
    await page.getByLabel('Current password').fill(password)
    await page.getByLabel('New password').fill('another four words')
    await page.getByRole('button', { name: 'Change it' }).click()
    await page.getByText('Other sessions of yours have ended').waitFor()
    const { token } = await dashboard.accounts.ticket('password', 'test', { email: owner, role: null })
    await next.goto(ticketUrl(dashboard.gateway.url, 'password', token))
    await next.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    await next.getByLabel('Password').fill(password)
    await next.getByRole('button', { name: 'Sign in' }).click()
    await next.locator('main#main h1').waitFor()
  })
})

describe('the dashboard over plain http, from another machine', { skip }, () => {
  const dashboard = new Dashboard(async () => {
    const port = await freePort()
    const PUBLIC_URL = `http://${otherName}:${port}`
    return { settings: { PORT: String(port), PUBLIC_URL, ALLOW_INSECURE_LOGIN: '1' } }
  })
  before(() => dashboard.setUp())

  test('where the operator allows it, it works, and every page says that anybody can read along', async () => {
    const page = await dashboard.at('/staging/devices/add')
    assert.equal(await page.evaluate(() => isSecureContext), false)
    await page.getByText('Anybody on the network can read passwords and messages.').waitFor()
    await page.getByRole('button', { name: /Simulated phone/ }).click()
    await page.getByLabel('Name').fill('Pretend')
    await page.getByRole('button', { name: 'Add it' }).click()
    await page.locator('tr', { hasText: 'Pretend' }).getByText('Online').waitFor()
    await page.goto('/staging/messages/bulk')
    await page.getByLabel('Numbers, one a line').fill('+15550101234')
    await page.getByLabel('Message', { exact: true }).fill('over plain http')
    await page.getByRole('button', { name: 'Send to 1 person…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send to 1 person' }).click()
    await page.getByRole('link', { name: 'Watch them' }).click()
    await page.locator('tr', { hasText: 'over plain http' }).getByText('Delivered').waitFor()
    await page.goto('/staging/keys')
    await page.getByText('Anybody on the network can read passwords and messages.').waitFor()
    await page.getByRole('button', { name: 'New key' }).first().click()
    const sheet = page.getByRole('dialog')
    await sheet.getByLabel('What is it for?').fill('Shop')
    await sheet.getByRole('button', { name: 'Create key' }).click()
    await sheet.getByRole('button', { name: 'Copy' }).first().click()
    await sheet.getByText('Copied').waitFor()
  })
})
