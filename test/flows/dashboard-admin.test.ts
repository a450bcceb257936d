/** Keys, webhooks, opt-outs, settings, the team and the audit log, as people use them. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Basestation } from '../../sdk/src/index.ts'
import { scopes } from '../../src/core/access/key.ts'
import { Catcher } from '../standins/catcher.ts'
import { Dashboard, password, skip } from '../standins/dashboard.ts'
import { until } from '../standins/gateway.ts'

describe('looking after a gateway in the dashboard', { skip }, () => {
  const catcher = new Catcher()
  const dashboard = new Dashboard(async () => ({
    settings: { WEBHOOK_ALLOW_HOSTS: new URL(await catcher.start()).host },
  }))
  before(async () => {
    await dashboard.setUp()
    await dashboard.gateway.device('staging', { name: 'Front desk' })
    await dashboard.gateway.fleet.refresh()
  })
  after(() => catcher.stop())
  const works = async (key: string) =>
    (await dashboard.gateway.ask('GET', '/staging/api/v1/messages', { key })).status

  test('a key is made from a preset, shown once, rotated with an overlap, and revoked', async () => {
    const page = await dashboard.at('/staging/keys')
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('What is it for?').fill('Web shop')
    await page.getByLabel('Permissions').selectOption('Read only')
    await page.getByLabel('Expires').selectOption('90')
    await page.getByLabel('Requests a minute').fill('50')
    await page.getByLabel('Only from these addresses').fill('127.0.0.1, ::1')
    await page.getByRole('button', { name: 'Create key' }).click()
    const secret = () => page.getByRole('dialog').locator('.secret code').first().innerText()
    const first = await secret()
    assert.equal(await works(first), 200)
    await page.getByRole('button', { name: 'I have kept it' }).click()
    const row = page.locator('tr', { hasText: 'Web shop' })
    await row.getByText('50 a minute').waitFor()
    await row.getByText('Read only').waitFor()
    await page.getByRole('button', { name: 'What to do with Web shop' }).click()
    await page.getByRole('button', { name: 'Rotate…' }).click()
    await page.getByLabel('Keep the old key for').selectOption('1')
    await page.getByRole('button', { name: 'Create the new key' }).click()
    await page.getByText('This is the only time it is shown').waitFor()
    const second = await secret()
    assert.deepEqual([await works(first), await works(second)], [200, 200])
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('button', { name: 'What to do with Web shop' }).first().click()
    await page.getByRole('button', { name: 'Revoke…' }).click()
    await page.getByRole('button', { name: 'Revoke it' }).click()
    await until('it is refused', async () => (await works(first)) === 401)
    assert.equal(await works(second), 200)
  })
  test('a password that was given a while ago is asked for again, and what was asked goes on', async () => {
    const page = await dashboard.at('/staging/keys')
    dashboard.gateway.clock.now = Date.now() + 16 * 60_000
    dashboard.gateway.clock.real = false
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('What is it for?').fill('Asked again')
    await page.getByRole('button', { name: 'Create key' }).click()
    const asked = page.getByRole('dialog', { name: 'Confirm your password' })
    await asked.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Confirm your password first').waitFor()
    await page.getByRole('button', { name: 'Create key' }).click()
    await asked.getByLabel('Password').fill('not this one')
    await asked.getByRole('button', { name: 'Confirm' }).click()
    await asked.getByText('The password is wrong.').waitFor()
    await asked.getByLabel('Password').fill(password)
    await asked.getByRole('button', { name: 'Confirm' }).click()
    const secret = await page.getByRole('dialog').locator('.secret code').first().innerText()
    assert.equal(await works(secret), 200)
    await page.getByRole('button', { name: 'I have kept it' }).click()
    dashboard.gateway.clock.real = true
  })
  test('scopes are chosen one by one', async () => {
    const page = await dashboard.at('/staging/keys')
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('What is it for?').fill('Chosen')
    await page.getByLabel('Permissions').selectOption('Chosen one by one')
    await page.getByRole('checkbox', { name: /messages:send/ }).uncheck()
    await page.getByRole('checkbox', { name: /events:read/ }).check()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('This is the only time it is shown').waitFor()
    const [key] = (await dashboard.gateway.store.allKeys()).filter(({ name }) => name === 'Chosen')
    assert.deepEqual([...key!.scopes].sort(), ['events:read', 'inbox:read', 'messages:read'])
  })
  test('a webhook is added, tested, told of what happens, and told again', async () => {
    const page = await dashboard.at('/staging/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await page.getByLabel('Address').fill('http://10.0.0.1/hook')
    await page.getByRole('button', { name: 'Add it' }).click()
    await page.getByRole('dialog').getByText('is not public').waitFor()
    await page.getByLabel('Address').fill(`${catcher.url}/hook`)
    await page.getByRole('button', { name: 'Add it' }).click()
    assert.match(await page.getByRole('dialog').locator('.secret code').innerText(), /^whsec_/)
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('link', { name: `${catcher.url}/hook` }).click()
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await page.getByText('The test event was delivered.').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    const key = await dashboard.gateway.key('staging')
    await dashboard.gateway.ask('POST', '/staging/api/v1/sms/send', {
      key,
      body: { to: '+15550101234', message: 'hook' },
    })
    await page.locator('tbody tr').getByText('Delivered', { exact: true }).first().waitFor()
    await page.locator('tbody tr').getByText('Message delivered').waitFor()
    const told = () => catcher.caught.filter(({ event }) => event.type === 'message.delivered').length
    await until('it was told', () => told() === 1)
    await page.getByRole('button', { name: 'Redeliver' }).click()
    await until('it was told again', () => told() === 2)
    await page.getByRole('button', { name: 'Replay…' }).click()
    await page.getByRole('button', { name: 'Redeliver events' }).click()
    await until('it was told once more', () => told() === 3)
    await page.getByRole('button', { name: 'Change…' }).click()
    const form = page.getByRole('dialog')
    assert.equal(await form.getByLabel('Address').inputValue(), `${catcher.url}/hook`)
    await form.getByLabel('Address').fill(`${catcher.url}/moved`)
    await form.getByLabel('message.received').uncheck()
    await form.getByLabel('message.sent').check()
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`${catcher.url}/moved`).waitFor()
    const [changed] = await dashboard.gateway.store.allWebhooks()
    assert.deepEqual(changed!.types, ['message.delivered', 'message.failed', 'message.sent'])
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.getByText(`${catcher.url}/hook`).waitFor()
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('Disabled', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByRole('button', { name: 'Remove it' }).click()
    await page.getByText('No webhook yet').waitFor()
  })
  test('numbers are opted out and taken off, and a person is forgotten', async () => {
    const page = await dashboard.at('/staging/opt-outs')
    await page.getByRole('button', { name: 'Add a number' }).click()
    await page.getByRole('textbox', { name: 'Number' }).fill('+1 555 010 7777')
    await page.getByRole('button', { name: 'Add it' }).click()
    await page.locator('tr', { hasText: '555 010 7777' }).waitFor()
    await page.getByRole('button', { name: 'Allow messages again' }).click()
    await page.getByText('Nobody has opted out').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('tr', { hasText: '555 010 7777' }).waitFor()
    await page.getByRole('button', { name: 'Erase personal data…' }).click()
    await page.getByRole('textbox', { name: 'Number' }).fill('+15550101234')
    await page.getByRole('button', { name: 'Erase for good' }).click()
    await page.getByText('Forgotten: 1 message, 0 files.').waitFor()
  })
  test('settings are changed, and that is undone', async () => {
    const page = await dashboard.at('/staging/settings')
    await page.getByLabel('Recipients are checked by').selectOption('plan')
    await page.getByRole('button', { name: 'Save' }).click()
    const settings = async () => (await dashboard.gateway.environment('staging')).settings
    await until('it is kept', async () => (await settings()).numberCheck === 'plan')
    await page.getByRole('button', { name: 'Undo' }).click()
    await until('it is as before', async () => (await settings()).numberCheck === 'shape')
    await page.locator('select', { has: page.locator('option[value=shape]:checked') }).waitFor()
    // What a program changed meanwhile, and this page does not know of, stays.
    const key = await dashboard.gateway.key('staging', { scopes })
    await new Basestation({ url: dashboard.gateway.url, key }).configure({ remove_after_days: 365 })
    await page.getByLabel('Hours that a message may wait').fill('2')
    await page.getByRole('button', { name: 'Save' }).click()
    await until('it is kept', async () => (await settings()).validitySeconds === 7_200)
    assert.equal((await settings()).removeAfterDays, 365)
    // What will be forgotten cannot be brought back, and is said before.
    await page.getByLabel('Forget texts and files after').fill('30')
    await page.getByText('Older data is erased permanently').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await until('it is kept', async () => (await settings()).forgetTextsAfterDays === 30)
    assert.equal((await dashboard.gateway.environment('production')).settings.numberCheck, 'shape')
  })
  test('settings that were typed and not saved are there again, and can be given up', async () => {
    const page = await dashboard.at('/staging/settings')
    const field = page.getByLabel('Remove messages after')
    const saved = await field.inputValue()
    await field.fill('99')
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('heading', { name: 'Staging' }).waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText('You changed something here before').waitFor()
    assert.equal(await field.inputValue(), '99')
    await page.getByRole('button', { name: 'Discard it' }).click()
    assert.equal(await field.inputValue(), saved)
    await page.reload()
    await field.waitFor()
    assert.equal(await page.getByText('You changed something here before').count(), 0)
  })
  test('what is wrong stands beside its field, and goes with the form', async () => {
    const page = await dashboard.at('/staging/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    const form = page.getByRole('dialog')
    const address = form.getByLabel('Address')
    for (let n = 0; n < 2; n += 1) {
      await address.fill('https://10.0.0.1/hook')
      await form.getByRole('button', { name: 'Add it' }).click()
      await form.getByText('is not public').waitFor()
    }
    assert.equal(await page.locator('.toast').count(), 0, 'said once, where it belongs')
    assert.equal(await address.getAttribute('aria-invalid'), 'true')
    await page.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    assert.equal(await page.getByText('is not public').count(), 0)
  })
  test('the audit log tells pause from resume, and a refusal from a deed', async () => {
    const page = await dashboard.at('/staging/devices')
    const [device] = await dashboard.gateway.store.allDevices()
    const change = (paused: boolean) =>
      page.evaluate(
        async ([id, value]) => {
          const body = JSON.stringify({ paused: value })
          const headers = { 'content-type': 'application/json' }
          await fetch(`/staging/api/v1/devices/${id}`, { method: 'PATCH', headers, body })
        },
        [device!.id, paused] as const,
      )
    await change(true)
    await change(false)
    await page.evaluate(() => fetch('/staging/api/v1/links', { method: 'POST', body: '{}' }))
    await page.goto('/audit')
    const rows = page.locator('tbody tr')
    await rows.first().getByText('refused').waitFor()
    const words = await rows.locator('td:nth-child(3)').allInnerTexts()
    assert.match(words[0]!, /^refused began to link a WhatsApp number/)
    assert.deepEqual(words.slice(1, 3), ['resumed a device', 'paused a device'])
  })
  test('somebody is invited, joins, sees what they may, and is removed; all of it is in the audit log', async () => {
    const page = await dashboard.at('/team')
    await page.getByRole('button', { name: 'Invite somebody' }).click()
    await page.getByLabel('E-mail').fill('viewer@example.org')
    await page.getByLabel('Role').selectOption('viewer')
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = await page.getByRole('dialog').locator('.secret code').innerText()
    const guest = await dashboard.visit()
    await guest.goto(link)
    await guest.getByText('You will sign in as viewer@example.org, with the role viewer.').waitFor()
    await guest.getByLabel('Password').fill(password)
    await guest.getByRole('button', { name: 'Sign in' }).click()
    await guest.locator('main#main h1').waitFor()
    await guest.goto('/staging/messages')
    await guest.getByRole('heading', { name: 'Messages' }).waitFor()
    for (const name of ['New message', 'API keys', 'Webhooks', 'Settings', 'Team', 'Audit log'])
      assert.equal(await guest.getByRole('link', { name, exact: true }).count(), 0, name)
    await guest.goto('/staging/keys')
    await guest.getByText('Your role, viewer, may not do this.').waitFor()
    for (const to of ['messages/new', 'messages/bulk', 'devices/add', 'webhooks', 'opt-outs', 'settings']) {
      await guest.goto(`/staging/${to}`)
      await guest.getByText('Your role, viewer, may not do this.').waitFor()
      assert.equal(await guest.locator('main button').count(), 0, to)
    }
    await page.getByRole('button', { name: 'Close' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'What to do with viewer@example.org' }).click()
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByRole('button', { name: 'Remove them' }).click()
    await page.getByRole('cell', { name: 'viewer@example.org', exact: true }).waitFor({ state: 'detached' })
    await guest.goto('/staging/messages')
    await guest.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.goto('/audit')
    for (const words of [
      'removed somebody from the team',
      'invited somebody',
      'used a one-time link',
      'changed settings',
      'erased personal data',
      'revoked an API key',
    ])
      await page.getByText(words).first().waitFor()
  })
  test('the environment is always in sight, and switching keeps the page', async () => {
    const page = await dashboard.at('/staging/devices')
    const current = page
      .getByRole('navigation', { name: 'Environment' })
      .locator('[aria-current=true]')
      .first()
    assert.equal(await current.innerText(), 'Staging')
    await page.getByRole('link', { name: 'Production' }).first().click()
    await page.getByText('No device yet').waitFor()
    assert.match(page.url(), /\/production\/devices$/)
    assert.equal(await current.innerText(), 'Production')
  })
  test('the reference shows this gateway’s own address', async () => {
    const page = await dashboard.at('/staging/reference')
    await page.getByText(`curl ${dashboard.gateway.url}/staging/api/v1/sms/send`).waitFor()
  })
})
