/** Devices in the dashboard: added, connected live, cared for, removed. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Enrolment } from '../../src/core/devices/enrolment.ts'
import { Crowd } from '../../src/simulator/crowd.ts'
import { calm } from '../../src/simulator/trouble.ts'
import { App } from '../standins/app.ts'
import { GraphStandin } from '../standins/cloud/graph.ts'
import { Dashboard, skip } from '../standins/dashboard.ts'
import { FileServer } from '../standins/file-server.ts'
import { until } from '../standins/gateway.ts'
import { WhatsAppStandin } from '../standins/whatsapp/server.ts'

describe('devices in the dashboard', { skip }, () => {
  const whatsapp = new WhatsAppStandin()
  const graph = new GraphStandin()
  const files = new FileServer()
  const dashboard = new Dashboard(async () => ({
    appPhones: true,
    settings: {
      WHATSAPP_WS_URL: await whatsapp.start(),
      WHATSAPP_GRAPH_URL: await graph.start(),
      MEDIA_ALLOW_HOSTS: await files.start(),
    },
  }))
  before(() => dashboard.setUp())
  after(() => {
    whatsapp.stop()
    graph.stop()
    files.stop()
  })
  /** Home, with all that belongs to it: only then something can be missing. */
  const home = async (page: Page) => {
    await page.goto('/production')
    await page.locator('figure.chart').waitFor()
    await page.getByRole('region', { name: 'Devices' }).waitFor()
  }
  const idOf = async (name: string) =>
    (await dashboard.gateway.store.allDevices()).find(one => one.name === name)!.id

  test('a simulated phone is added in staging, and nowhere else', async () => {
    const page = await dashboard.at('/production/devices/add')
    await page.getByRole('button', { name: /WhatsApp number/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: /Simulated phone/ }).count(), 0)
    await page.goto('/staging/devices')
    await page.getByText('No device yet').waitFor()
    await page.getByRole('link', { name: 'Add a device' }).first().click()
    await page.getByRole('button', { name: /Simulated phone/ }).click()
    await page.getByLabel('Name').fill('Pretend')
    await page.getByRole('button', { name: 'Add it' }).click()
    await page.locator('tr', { hasText: 'Pretend' }).getByText('Online').waitFor()
  })
  test('its name and limits are changed, it is paused, and that is undone', async () => {
    const page = await dashboard.at('/staging/devices')
    await page.getByRole('button', { name: 'Pretend', exact: true }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByLabel('Name').fill('Renamed')
    await sheet.getByLabel('Limit per day').fill('200')
    await sheet.getByRole('button', { name: 'Save' }).click()
    const row = page.locator('tr', { hasText: 'Renamed' })
    await row.getByText('200 left today').waitFor()
    await page.getByRole('button', { name: 'What to do with Renamed' }).click()
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await row.getByText('Paused').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.getByText('Online').waitFor()
    await page.getByRole('button', { name: 'What to do with Renamed' }).click()
    await page.getByRole('button', { name: 'Drain', exact: true }).click()
    await row.getByText('Draining', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await row.getByText('Online').waitFor()
    await page.goto('/staging')
    await page.getByText('200 left today').waitFor()
  })
  test('removing one says what becomes of its queue, and asks first', async () => {
    const page = await dashboard.at('/staging/devices')
    await page.getByRole('button', { name: 'What to do with Renamed' }).click()
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByText('Its queue is empty.').waitFor()
    await page.getByRole('button', { name: 'Keep it' }).click()
    await page.getByRole('button', { name: 'What to do with Renamed' }).click()
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByRole('button', { name: 'Remove it' }).click()
    await page.getByText('No device yet').waitFor()
  })
  test('an Android phone: what to type, and a tick as soon as it has registered and is online', async () => {
    const page = await dashboard.at('/staging/devices/add')
    await page.getByRole('button', { name: /Android phone/ }).click()
    await page.getByLabel('Name').fill('Pixel')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('Waiting for the phone to register…').waitFor()
    const url = /API URL: (\S+)/.exec(await page.locator('.steps').first().innerText())![1]!
    const token = await page.locator('.secret code').innerText()
    const crowd = new Crowd({ trouble: calm })
    await crowd.join({ url, enrolmentToken: token, name: 'Pixel' })
    await page.getByText('The phone has registered.').waitFor()
    await page.getByText('The phone is online.').waitFor()
    await page.getByRole('link', { name: 'Send a test message' }).click()
    await page.getByLabel('To').fill('+15550101234')
    await page.getByLabel('Message').fill('through the phone')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('dialog').locator('.timeline').getByText('Delivered').waitFor()
    crowd.stop()
  })
  test('each step of connecting a phone is ticked when it is seen to be done, or by hand where it cannot be', async () => {
    const page = await dashboard.at('/staging/devices/add')
    await page.getByRole('button', { name: /Android phone/ }).click()
    await page.getByLabel('Name').fill('Slow')
    await page.getByRole('button', { name: 'Go on' }).click()
    const steps = page.locator('.steps').first().locator('li')
    const step = (words: string) => steps.filter({ hasText: words })
    const isTicked = (words: string) => step(words).and(page.locator('.done')).waitFor()
    const ticked = () => steps.and(page.locator('.done')).count()
    const connect = async () => {
      const device = (await dashboard.gateway.store.allDevices()).find(({ name }) => name === 'Slow')!
      const enrolment = { token: await page.locator('.secret code').innerText() } as Enrolment
      return new App(dashboard.gateway, { device, enrolment })
    }
    assert.equal(await ticked(), 0)
    await step('Battery optimization').getByLabel('Done').check()
    await isTicked('Battery optimization')
    assert.equal(await ticked(), 1)
    const app = await connect()
    const sims = [{ slotIndex: 0, simNumber: 1, carrierName: 'Acme Mobile' }]
    app.token = (await app.register(undefined, { name: 'acme/fish', simCards: sims })).body.token
    for (const words of ['Install the SMSGate app', 'API URL', 'Private Token', 'how to register'])
      await isTicked(words)
    await page.getByText('Waiting for its event stream…').waitFor()
    assert.equal(await step('SSE Only').and(page.locator('.done')).count(), 0)
    await app.stream()
    await isTicked('SSE Only')
    await isTicked('tap the Offline button')
    assert.equal(await ticked(), 7)
    await page.getByText('Waiting for it to fetch its settings…').waitFor()
    await app.signingKey()
    await page.getByText('Settings fetched.').waitFor()
    // What it says about itself is in the list, and with the device.
    await page.goto('/staging/devices')
    const row = page.locator('tr', { hasText: 'Slow' })
    await row.getByText('1 SIM · app 1.75.0').waitFor()
    await row.getByText('20 a minute').waitFor()
    await page.getByRole('button', { name: 'Slow', exact: true }).click()
    await page.getByRole('dialog').getByText('Acme Mobile').waitFor()
    // Another phone in its place begins with nothing, though the first is still there.
    await page.goto(`/staging/devices/${app.device.id}/connect`)
    await page.getByRole('button', { name: 'Create a new token' }).click()
    await page.getByText('Waiting for the phone to register…').waitFor()
    assert.equal(await ticked(), 0)
    const next = await connect()
    next.token = (await next.register()).body.token
    await isTicked('Private Token')
    await page.getByText('Waiting for it to fetch its settings…').waitFor()
    await next.stream()
    await isTicked('SSE Only')
    app.hangUp()
    next.hangUp()
  })
  test('a WhatsApp number: a code to scan that counts down, a code to type, and the number is there', async () => {
    const account = whatsapp.add({ phone: '15550001000', lid: '900000000001', name: 'Shop' })
    const page = await dashboard.at('/production/devices/add')
    await page.getByRole('button', { name: /WhatsApp number/ }).click()
    await page.getByLabel('Name').fill('Shop')
    await page.getByLabel('Its number (optional)').fill('+15550001000')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('img', { name: 'QR code to scan with WhatsApp' }).waitFor()
    await page.getByText(/Renewed in \d+ s/).waitFor()
    const code = (await page.locator('.secret code').innerText()).replace('-', '')
    await whatsapp.type(code, account)
    await page.getByText('Shop is linked to +15550001000.').waitFor()
    await page.getByRole('link', { name: 'All devices' }).click()
    await page.locator('tr', { hasText: 'Shop' }).getByText('Online').waitFor()
  })
  test('a number of the official API: its secrets, what Meta is told, and a new token when the old one ended', async () => {
    const page = await dashboard.at('/production/devices/add')
    await page.getByRole('button', { name: /official API/ }).click()
    await page.getByLabel('Name').fill('Official')
    await page.getByLabel('Phone number ID').fill(graph.phoneNumberId)
    await page.getByLabel('Access token').fill('wrong')
    await page.getByLabel('App secret').fill(graph.appSecret)
    await page.getByRole('button', { name: 'Add it' }).click()
    await page.locator('.toast.bad').waitFor()
    await page.getByLabel('Access token').fill(graph.token)
    await page.getByRole('button', { name: 'Add it' }).click()
    await page.getByText('Waiting for Meta to call…').waitFor()
    const [url, token] = await page.locator('.secret code').allInnerTexts()
    const question = `hub.mode=subscribe&hub.challenge=42&hub.verify_token=${encodeURIComponent(token!)}`
    assert.equal(await (await fetch(`${url}?${question}`)).text(), '42')
    graph.webhook = url!
    const text = { from: '15550009999', id: 'wamid.1', timestamp: '1', type: 'text', text: { body: 'hello' } }
    assert.equal(await graph.post({ messages: [text] }), 200)
    await page.getByText('Meta has called').waitFor()
    await page.getByRole('link', { name: 'Send a test message' }).click()
    await page.getByLabel('To', { exact: true }).fill('+15550002000')
    await page.getByLabel('Message').fill('Look at this')
    await page.getByLabel('File to attach').fill(`${files.url}/a.pdf`)
    assert.equal(await page.getByLabel('Device').inputValue(), await idOf('Official'))
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('dialog').locator('.timeline').getByText('Delivered').waitFor()
    assert.equal(graph.taken.at(-1).type, 'document')
    graph.token = 'another'
    // The next message is refused; it waits for the new token.
    const key = await dashboard.gateway.key('production')
    const body = { to: '+15550002000', message: 'waits', device_id: await idOf('Official') }
    await dashboard.gateway.ask('POST', '/api/v1/sms/send', { key, body })
    await page.goto('/production')
    await page.getByRole('link', { name: 'Give it a new token' }).click()
    await page.getByLabel('New access token').fill('another')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Meta accepted it.').waitFor()
    await until('what waited went out', () => graph.taken.at(-1).text?.body === 'waits')
    await home(page)
    await page.getByRole('link', { name: 'Give it a new token' }).waitFor({ state: 'detached' })
    await dashboard.gateway.store.retire({ id: await idOf('Official'), environmentId: 1 })
  })
  test('a number that was logged out needs attention, and one click links it again', async () => {
    const account = whatsapp.party('15550001000@s.whatsapp.net')!
    whatsapp.unlink(account)
    const page = await dashboard.at('/production')
    await page.getByRole('link', { name: 'Link it again' }).click()
    await page.getByRole('img', { name: 'QR code to scan with WhatsApp' }).waitFor()
    const code = (await page.locator('.secret code').innerText()).replace('-', '')
    await whatsapp.type(code, account)
    await page.getByText('Shop is linked to').waitFor()
    await until('it is online', () =>
      [...dashboard.gateway.fleet.members()].some(
        ({ online, device }) => online && device.kind === 'whatsapp',
      ),
    )
    await home(page)
    await page.getByText('Needs attention').waitFor({ state: 'detached' })
  })
})
