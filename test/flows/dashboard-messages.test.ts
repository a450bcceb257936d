/** Messages and the inbox, as people use them. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Basestation } from '../../sdk/src/index.ts'
import { scopes } from '../../src/core/access/key.ts'
import { App } from '../standins/app.ts'
import { Dashboard, skip } from '../standins/dashboard.ts'
import { until } from '../standins/gateway.ts'

/** What is sent to many is confirmed once. */
async function sendAll(page: Page, deed: string): Promise<void> {
  await page.getByRole('button', { name: `${deed}…` }).click()
  await page.getByRole('dialog').getByRole('button', { name: deed, exact: true }).click()
}

describe('messages in the dashboard', { skip }, () => {
  const dashboard = new Dashboard(() => ({ appPhones: true }))
  let program: Basestation
  before(async () => {
    const { gateway } = dashboard
    await dashboard.setUp()
    await gateway.device('staging', { name: 'Front desk' })
    program = new Basestation({ url: gateway.url, key: await gateway.key('staging', { scopes }) })
    await gateway.fleet.refresh()
  })

  test('what a program sends shows up by itself, and so does what becomes of it', async () => {
    const page = await dashboard.at('/staging/messages')
    await page.getByText('No message yet').waitFor()
    await program.send({ to: '+15550101234', message: 'seen live' })
    const row = page.locator('tr', { hasText: 'seen live' })
    await row.getByText('Delivered').waitFor()
  })
  test('a message is written, judged while it is, sent, and followed to its end', async () => {
    const page = await dashboard.at('/staging/messages/new')
    await page.getByLabel('To').fill('+1555')
    await page.getByLabel('Message').fill('Your café is open')
    await page.getByText('17 characters').waitFor()
    // Said where it is wrong, before anything is sent; and nobody is said to send it.
    await page.locator('input[type=tel][aria-invalid=true]').waitFor()
    assert.equal(await page.getByText('will send it').count(), 0)
    await page.getByLabel('To').fill('+1 555 010 1235')
    await page.getByText('1 SMS segment · GSM-7').waitFor()
    await page.getByLabel('Message').fill('Your café is open ✓')
    await page.locator('mark', { hasText: '✓' }).waitFor()
    await page.getByText('1 SMS segment · UCS-2').waitFor()
    await page.getByText('Front desk will send it.').waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const sheet = page.getByRole('dialog', { name: 'Message' })
    await sheet.locator('.timeline').getByText('Delivered').waitFor()
    await sheet.getByText('Your café is open ✓').waitFor()
    await sheet.getByRole('button', { name: 'Send again…' }).click()
    await page.getByRole('heading', { name: 'New message' }).waitFor()
    assert.equal(await page.getByLabel('Message').inputValue(), 'Your café is open ✓')
  })
  test('a scheduled one waits, and can be canceled', async () => {
    const page = await dashboard.at('/staging/messages/new?to=%2B15550101236&text=tomorrow')
    const tomorrow = new Date(Date.now() + 24 * 3_600_000)
    const local = new Date(tomorrow.getTime() - tomorrow.getTimezoneOffset() * 60_000)
      .toISOString()
      .slice(0, 16)
    await page.getByLabel('When (optional)').fill(local)
    await page.getByRole('button', { name: 'Schedule' }).click()
    const sheet = page.getByRole('dialog', { name: 'Message' })
    await sheet.getByRole('button', { name: 'Cancel it' }).click()
    await sheet.locator('.timeline').getByText('Canceled', { exact: true }).waitFor()
  })
  test('a date that is none, or a page that is gone, leaves no white page', async () => {
    const page = await dashboard.at('/staging/messages?since=garbage')
    await page.locator('tr', { hasText: 'seen live' }).waitFor()
    await page.route('**/assets/audit-*.js', route => route.abort())
    await page.getByRole('link', { name: 'Audit log' }).first().click()
    await page.getByRole('button', { name: 'Load it again' }).waitFor()
    await page.unroute('**/assets/audit-*.js')
    await page.getByRole('button', { name: 'Load it again' }).click()
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    dashboard.complaints.length = 0
  })
  test('filters and words find messages, and the address keeps them', async () => {
    await program.send({ to: '+15550100001', message: 'this one fails' })
    const page = await dashboard.at('/staging/messages')
    await page.getByLabel('State').selectOption('failed')
    await page.getByText('The phone network refused the message.').waitFor()
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    assert.match(page.url(), /status=failed/)
    await page.getByLabel('State').selectOption('')
    await page.getByLabel('Search for a number or words').fill('LIVE')
    await page.locator('tr', { hasText: 'seen live' }).waitFor()
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    await page.reload()
    await page.locator('tr', { hasText: 'seen live' }).waitFor()
    await page.getByLabel('Search for a number or words').fill('+1 555 010 1235')
    await page.locator('tr', { hasText: 'café' }).waitFor()
    await page.getByLabel('Search for a number or words').fill('no such words')
    await page.getByText('No match').waitFor()
  })
  test('a list is pasted: wrong and repeated rows are told before, the result is a file after', async () => {
    await program.optOut('+15550109999')
    const page = await dashboard.at('/staging/messages/bulk')
    const people = Array.from({ length: 230 }, (_, n) => `Person ${n},+15550${20_000 + n}9`)
    const list = ['name,mobile', ...people, 'Twice,+15550200009', 'Wrong,0155', 'Out,+15550109999']
    await page.setInputFiles('input[type=file]', {
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(list.join('\n')),
    })
    assert.equal(await page.getByLabel('Column with the numbers').inputValue(), '1')
    await page.getByLabel('Message', { exact: true }).fill('We open at nine, {nme}.')
    await page.getByText('No column is called {{nme}}').waitFor()
    await page.getByLabel('Message', { exact: true }).fill('We open at nine.')
    for (const words of ['230 will be sent', '1 duplicate', '1 not a number', '1 opted out'])
      await page.getByText(words).waitFor()
    await sendAll(page, 'Send to 230 people')
    await page.getByText('All accepted').waitFor()
    await page.getByText('230 accepted and safely stored, 3 not.').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the result' }).click(),
    ])
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n')
    assert.equal(lines.length, 234)
    assert.equal(lines.filter(line => line.includes('"accepted"')).length, 230)
    assert.ok(!lines.some(line => /(^|,)"[=+@-]/.test(line)), 'nothing is a formula')
    const texted = dashboard.gateway.onAir.filter(({ message }) => message.text === 'We open at nine.')
    assert.equal(new Set(texted.map(({ message }) => message.recipient)).size, texted.length)
  })
  test('a bulk send that is paused goes on, and texts nobody twice', async () => {
    const page = await dashboard.at('/staging/messages/bulk')
    const list = Array.from({ length: 400 }, (_, n) => `+15550${30_000 + n}9`).join('\n')
    await page.getByLabel('Numbers, one a line').fill(list)
    await page.getByLabel('Message', { exact: true }).fill('Paused in between')
    // The second request is lost on its way back: the gateway has it, the page does not know.
    let calls = 0
    await page.route('**/sms/bulk', async route => {
      calls += 1
      if (calls !== 2) return await route.continue()
      await route.fetch()
      await route.abort()
    })
    await sendAll(page, 'Send to 400 people')
    await page.getByText('400 accepted and safely stored, 0 not.').waitFor()
    const { onAir } = dashboard.gateway
    await page.getByRole('link', { name: 'Watch them' }).click()
    await page.getByRole('heading', { name: 'Messages' }).waitFor()
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length >= 50)
    const texted = () => onAir.filter(({ message }) => message.text === 'Paused in between')
    while (texted().length < 400) await new Promise(resolve => setTimeout(resolve, 50))
    assert.equal(new Set(texted().map(({ message }) => message.recipient)).size, 400)
    assert.equal(texted().length, 400)
    assert.ok(calls >= 5)
  })
  test('Pause stops a bulk send between two requests, and Continue sends the rest, once', async () => {
    const page = await dashboard.at('/staging/messages/bulk')
    const list = Array.from({ length: 250 }, (_, n) => `+15550${50_000 + n}9`).join('\n')
    await page.getByLabel('Numbers, one a line').fill(list)
    await page.getByLabel('Message', { exact: true }).fill('By hand')
    const gate = Promise.withResolvers<void>()
    let calls = 0
    await page.route('**/sms/bulk', async route => {
      calls += 1
      await gate.promise
      await route.continue()
    })
    await sendAll(page, 'Send to 250 people')
    await page.getByText('0 of 250').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    gate.resolve()
    await page.getByText('Paused', { exact: true }).waitFor()
    await page.getByText('100 of 250').waitFor()
    assert.equal(calls, 1)
    const sent = () => dashboard.gateway.onAir.filter(({ message }) => message.text === 'By hand')
    await until('the first hundred went out', () => sent().length === 100)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('250 accepted and safely stored, 0 not.').waitFor()
    assert.equal(calls, 3)
    await until('the rest went out', () => sent().length === 250)
    assert.equal(new Set(sent().map(({ message }) => message.recipient)).size, 250)
  })
  test('a bulk send goes on while one looks elsewhere, a hopeless row does not stop it, and what is left can be given up', async () => {
    const page = await dashboard.at('/staging/messages/bulk')
    const list = [
      'number,text',
      '+15550400009,one',
      '+15550400019,',
      '+15550400029,three',
      `+15550400039,${'x'.repeat(1_700)}`,
      '+15550400049,five',
    ]
    await page.getByLabel('Numbers, one a line').fill(list.join('\n'))
    await page.getByLabel('Message', { exact: true }).fill('{text}')
    await page.getByText('1 no text').waitFor()
    let held: (() => void) | undefined
    await page.route('**/sms/bulk', async route => {
      await new Promise<void>(resolve => {
        held = resolve
      })
      await route.continue()
    })
    await sendAll(page, 'Send to 4 people')
    await page.getByRole('link', { name: 'Devices' }).first().click()
    await page.getByRole('heading', { name: 'Devices' }).waitFor()
    const release = setInterval(() => held?.(), 20)
    await page.getByRole('link', { name: 'Messages' }).first().click()
    await page.getByRole('link', { name: 'Send to many' }).click()
    await page.getByText('3 accepted and safely stored, 2 not.').waitFor()
    clearInterval(release)
    await page.getByRole('button', { name: 'Another list' }).click()
    await page.getByLabel('Numbers, one a line').waitFor()
  })
  test('before a list is sent: segments of every row, every row that is wrong, and what will be sent to how many', async () => {
    const page = await dashboard.at('/staging/messages/bulk')
    const wrong = Array.from({ length: 40 }, (_, n) => `Wrong ${n},12${n}`)
    const list = [
      'name,number',
      'Ann,+15550600009',
      `${'B'.repeat(400)},+15550600019`,
      ',+15550600029',
      ...wrong,
    ]
    await page.setInputFiles('input[type=file]', {
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(list.join('\n')),
    })
    await page.getByLabel('Message', { exact: true }).fill('Hello {{name}}')
    await page.getByText('1 to 3 SMS segments each, 4 in all').waitFor()
    await page.getByText('1 a value is missing').waitFor()
    await page.getByRole('button', { name: 'Show all 41 rows' }).click()
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 43)
    // Told by their place in the file: the heading is line 1.
    const row = page.locator('tbody tr', { hasText: '1239' })
    assert.equal(await row.locator('td').first().innerText(), '44')
    await page.getByRole('button', { name: 'Send to 2 people…' }).click()
    const dialog = page.getByRole('dialog')
    for (const words of ['staging', 'Hello Ann', '41'])
      await dialog.getByText(words, { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Back' }).click()
    assert.equal(
      dashboard.gateway.onAir.some(({ message }) => message.text.startsWith('Hello')),
      false,
    )
    await page.getByLabel('Message', { exact: true }).fill('Hello {{name|friend}}')
    await sendAll(page, 'Send to 3 people')
    await page.getByText('3 accepted and safely stored, 40 not.').waitFor()
    const texts = () =>
      dashboard.gateway.onAir
        .map(({ message }) => message.text)
        .filter(text => /^Hello (Ann|friend)$/.test(text))
    await until('they went out', () => texts().length === 2)
    assert.deepEqual(texts().sort(), ['Hello Ann', 'Hello friend'])
  })
  test('a message that is closed leaves the list where it was, and the keyboard at its row', async () => {
    const page = await dashboard.at('/staging/messages')
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 50)
    while ((await page.locator('tbody tr').count()) < 150) {
      const count = await page.locator('tbody tr').count()
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
      await page.waitForFunction(n => document.querySelectorAll('tbody tr').length > n, count)
    }
    const link = page.locator('tbody tr').nth(120).getByRole('link')
    await link.scrollIntoViewIfNeeded()
    await link.focus()
    const before = await page.evaluate(() => scrollY)
    assert.ok(before > 1_000)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('What happened').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const after = await page.evaluate(() => scrollY)
    assert.ok(Math.abs(after - before) < 50, `from ${before} to ${after}`)
    assert.ok(await link.evaluate(element => element === document.activeElement))
  })
  test('the list of messages goes on as one scrolls, and new ones are at its top', async () => {
    const page = await dashboard.at('/staging/messages')
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 50)
    for (let seen = 50; seen < 250; seen += 50) {
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
      await page.waitForFunction(n => document.querySelectorAll('tbody tr').length > n, seen)
    }
    await program.send({ to: '+15550101239', message: 'new at the top' })
    await page.evaluate(() => scrollTo(0, 0))
    await page.locator('tr', { hasText: 'new at the top' }).waitFor()
  })
  test('an answer comes into the inbox, counts as unread, is read, and is answered in place', async () => {
    const page = await dashboard.at('/staging/inbox')
    await program.send({ to: '+15550100005', message: 'ping' })
    const inbox = page.getByRole('link', { name: /Inbox/ }).first()
    await inbox.getByText('1').waitFor()
    await page.getByRole('region', { name: 'People' }).getByText('PONG').click()
    const thread = page.getByRole('log')
    await thread.getByText('ping').waitFor()
    await thread.getByText('PONG').waitFor()
    await inbox.getByText('unread').waitFor({ state: 'detached' })
    await page.getByLabel('Answer').fill('thanks')
    await page.getByLabel('Answer').press('Enter')
    await thread.getByText('thanks').waitFor()
    // It answers once more, while one looks at it: that is read at once.
    await page.waitForFunction(() => document.querySelectorAll('.turn:not(.ours)').length === 2)
    await page.getByLabel('Search people').fill('nobody at all')
    await page.getByText('No match').waitFor()
  })
  test('numbers are written as in their country, and times say exactly when on hover', async () => {
    await program.send({ to: '+442079460123', message: 'to London' })
    const page = await dashboard.at('/staging/messages')
    const row = page.locator('tr', { hasText: 'to London' })
    await row.getByText('+44 20 7946 0123').waitFor()
    await row.getByText('GB').waitFor()
    await row.getByTitle('+442079460123 · United Kingdom').waitFor()
    const time = row.locator('time').first()
    assert.match(await time.innerText(), /now|ago/)
    const at = await time.getAttribute('datetime')
    const exactly = await page.evaluate(
      iso =>
        new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }).format(
          new Date(iso),
        ),
      at!,
    )
    assert.equal(await time.getAttribute('title'), exactly)
  })
  test('a picture that came in is shown, and a file of another kind is saved under its name', async () => {
    const app = await App.enrol(dashboard.gateway, { environment: 'staging', name: 'With MMS' })
    const picture = readFileSync(join(import.meta.dirname, '../../docs/pictures/inbox-wide-light.png'))
    const attachments = [
      { contentType: 'image/png', name: 'cat.png', data: picture.toString('base64') },
      { contentType: 'text/plain', name: 'notes.txt', data: Buffer.from('hello').toString('base64') },
    ]
    await app.post('mms:downloaded', { sender: '+15550107777', body: 'look at it', attachments })
    const page = await dashboard.at('/staging/inbox/%2B15550107777')
    const image = page.getByRole('log').getByRole('img', { name: 'cat.png' })
    await image.waitFor()
    await page.waitForFunction(
      () => document.querySelector<HTMLImageElement>('img.attached')!.naturalWidth > 0,
    )
    for (const [name, bytes] of [
      ['cat.png', picture],
      ['notes.txt', Buffer.from('hello')],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator(`a[download="${name}"]`).click(),
      ])
      assert.equal(download.suggestedFilename(), name)
      assert.deepEqual(readFileSync(await download.path()), bytes)
    }
    app.hangUp()
  })
  test('everything can be reached on a phone’s screen', async () => {
    const page = await dashboard.at('/staging/messages', { isNarrow: true })
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Inbox' }).click()
    await page.getByText('PONG').first().click()
    await page.getByLabel('Answer').waitFor()
    await page.getByLabel('Back to all people').click()
    await page.getByLabel('Search people').waitFor()
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    assert.ok(overflow <= 0, `${overflow} pixels too wide`)
  })
  test('what was written to one person is still there after looking at another', async () => {
    const { reception, store } = dashboard.gateway
    const device = (await store.allDevices()).find(({ name }) => name === 'Front desk')!
    for (const sender of ['+15550700005', '+15550710005'])
      await reception.receive({
        deviceId: device.id,
        sender,
        text: 'Hello',
        type: 'sms',
        metadata: {},
        externalId: null,
      })
    const page = await dashboard.at('/staging/inbox')
    const person = (number: string) => page.locator(`.people a[href*="${number}"]`)
    await person('15550700005').click()
    await page.getByLabel('Answer').fill('Half of an answ')
    await person('15550710005').click()
    assert.equal(await page.getByLabel('Answer').inputValue(), '')
    await person('15550700005').click()
    await page.waitForFunction(
      () => document.querySelector<HTMLTextAreaElement>('[aria-label=Answer]')?.value === 'Half of an answ',
    )
  })
})
