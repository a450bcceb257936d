/** Keys, webhooks, opt-outs, settings, the team and the audit log, as people use them. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
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
    await page.getByLabel('It may').selectOption('Read only')
    await page.getByLabel('It ends').selectOption('90')
    await page.getByLabel('Requests a minute').fill('50')
    await page.getByLabel('Only from these addresses').fill('127.0.0.1, ::1')
    await page.getByRole('button', { name: 'Make the key' }).click()
    const secret = () => page.getByRole('dialog').locator('.secret code').first().innerText()
    const first = await secret()
    assert.equal(await works(first), 200)
    await page.getByRole('button', { name: 'I have kept it' }).click()
    const row = page.locator('tr', { hasText: 'Web shop' })
    await row.getByText('50 a minute').waitFor()
    await row.getByText('Read only').waitFor()
    await page.getByRole('button', { name: 'What to do with Web shop' }).click()
    await page.getByRole('button', { name: 'Rotate…' }).click()
    await page.getByLabel('The old one goes on').selectOption('1')
    await page.getByRole('button', { name: 'Make the new key' }).click()
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
  test('scopes are chosen one by one', async () => {
    const page = await dashboard.at('/staging/keys')
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('What is it for?').fill('Chosen')
    await page.getByLabel('It may').selectOption('Chosen one by one')
    await page.getByRole('checkbox', { name: /messages:send/ }).uncheck()
    await page.getByRole('checkbox', { name: /events:read/ }).check()
    await page.getByRole('button', { name: 'Make the key' }).click()
    await page.getByText('This is the only time it is shown').waitFor()
    const [key] = (await dashboard.gateway.store.keys()).filter(({ name }) => name === 'Chosen')
    assert.deepEqual([...key!.scopes].sort(), ['events:read', 'inbox:read', 'messages:read'])
  })
  test('a webhook is added, tested, told of what happens, and told again', async () => {
    const page = await dashboard.at('/staging/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await page.getByLabel('Address').fill('http://10.0.0.1/hook')
    await page.getByRole('button', { name: 'Add it' }).click()
    await page.locator('.toast.bad').waitFor()
    await page.getByLabel('Address').fill(`${catcher.url}/hook`)
    await page.getByRole('button', { name: 'Add it' }).click()
    assert.match(await page.getByRole('dialog').locator('.secret code').innerText(), /^whsec_/)
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('link', { name: `${catcher.url}/hook` }).click()
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await page.getByText('It took the test event.').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    const key = await dashboard.gateway.key('staging')
    await dashboard.gateway.ask('POST', '/staging/api/v1/sms/send', {
      key,
      body: { to: '+15550101234', message: 'hook' },
    })
    await page.locator('tbody tr').getByText('Taken').waitFor()
    const told = () => catcher.caught.filter(({ event }) => event.type === 'message.delivered').length
    await until('it was told', () => told() === 1)
    await page.getByRole('button', { name: 'Tell again' }).click()
    await until('it was told again', () => told() === 2)
    await page.getByRole('button', { name: 'Replay…' }).click()
    await page.getByRole('button', { name: 'Tell it again' }).click()
    await until('it was told once more', () => told() === 3)
    await page.getByRole('button', { name: 'Switch off' }).click()
    await page.getByText('Switched off', { exact: true }).waitFor()
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
    await page.getByRole('button', { name: 'Take off' }).click()
    await page.getByText('Nobody has opted out').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('tr', { hasText: '555 010 7777' }).waitFor()
    await page.getByRole('button', { name: 'Forget a person…' }).click()
    await page.getByRole('textbox', { name: 'Number' }).fill('+15550101234')
    await page.getByRole('button', { name: 'Forget them for good' }).click()
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
    await page.getByLabel('Hours that a message may wait').fill('2')
    await page.getByRole('button', { name: 'Save' }).click()
    await until('it is kept', async () => (await settings()).validitySeconds === 7_200)
    // What will be forgotten cannot be brought back, and is said before.
    await page.getByLabel('Forget texts and files after').fill('30')
    await page.getByText('What is older is forgotten within minutes').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await until('it is kept', async () => (await settings()).forgetTextsAfterDays === 30)
    assert.equal((await dashboard.gateway.environment('production')).settings.numberCheck, 'shape')
  })
  test('somebody is invited, joins, sees what they may, and is removed; all of it is in the audit log', async () => {
    const page = await dashboard.at('/team')
    await page.getByRole('button', { name: 'Invite somebody' }).click()
    await page.getByLabel('E-mail').fill('viewer@example.org')
    await page.getByLabel('Role').selectOption('viewer')
    await page.getByRole('button', { name: 'Make the link' }).click()
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
      'forgot a person',
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
