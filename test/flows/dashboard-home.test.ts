/** Home, as it is with traffic, and the whole of a morning's work without a mouse. */

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Basestation } from '../../sdk/src/index.ts'
import { scopes } from '../../src/core/access/key.ts'
import { Dashboard, owner, password, skip } from '../standins/dashboard.ts'

describe('home, and by keyboard', { skip }, () => {
  const dashboard = new Dashboard()
  let program: Basestation
  before(async () => {
    const { gateway } = dashboard
    await dashboard.setUp()
    await gateway.device('staging', { name: 'Front desk', perMinute: 600, perDay: 200 })
    const slow = await gateway.device('staging', { name: 'Slow one' })
    program = new Basestation({ url: gateway.url, key: await gateway.key('staging', { scopes }) })
    await gateway.fleet.refresh()
    await program.changeDevice(slow.id, { paused: true })
    for (let n = 0; n < 2; n += 1)
      await program.send({ to: `+1555010777${n}`, message: 'later', device_id: slow.id })
  })

  const figure = (page: Page, name: string) =>
    page.locator('.figures > div').filter({ has: page.locator('dt', { hasText: name }) })
  const becomes = (page: Page, name: string, value: string) =>
    figure(page, name)
      .locator('strong', { hasText: new RegExp(`^${value}$`) })
      .waitFor()

  test('Home shows what waits, what became of messages, how long that took, why some failed, who wrote last; live', async () => {
    const page = await dashboard.at('/staging')
    await page.getByText('Nothing failed in this period.').waitFor()
    await becomes(page, 'Waiting', '2')
    await figure(page, 'Waiting').getByText('oldest').waitFor()
    await page.getByText('Slow one is paused, and 2 messages wait for it.').waitFor()
    const admin = page.getByRole('region', { name: 'Devices' }).locator('> *', { hasText: 'Front desk' })
    await admin.getByText('Online').waitFor()
    await admin.getByText('200 left today').waitFor()
    for (let n = 0; n < 3; n += 1) await program.send({ to: `+1555010123${n}`, message: 'x' })
    await program.send({ to: '+15550100005', message: 'ping' })
    await program.send({ to: '+15550100001', message: 'fails' })
    await becomes(page, 'Delivered', '4')
    await becomes(page, 'Failed', '1')
    await becomes(page, 'Received', '1')
    await figure(page, 'Delivered').getByText('80.0 % of finished messages').waitFor()
    await figure(page, 'Time to delivery').getByText('median; 95 % within').waitFor()
    const errors = page.getByRole('region', { name: 'Why messages did not arrive' })
    await errors.getByText('The phone network refused the message.').waitFor()
    await page.getByRole('region', { name: 'Last received' }).getByText('PONG').waitFor()
    await admin.getByText('195 left today').waitFor()
    const bars = (kind: string) => page.locator(`figure.chart rect.${kind}`)
    assert.equal(await bars('delivered').count(), 24)
    const sum = async (kind: string) =>
      (await bars(kind).locator('title').allTextContents()).reduce(
        (total, title) => total + Number(/: (\d+) /.exec(title)![1]),
        0,
      )
    assert.deepEqual([await sum('delivered'), await sum('failed')], [4, 1])
    for (const [period, days] of [
      ['7 days', 7],
      ['30 days', 30],
    ] as const) {
      await page.getByRole('button', { name: period }).click()
      await page.waitForFunction(n => document.querySelectorAll('figure.chart rect.sent').length === n, days)
      await becomes(page, 'Delivered', '4')
    }
    await page.getByRole('button', { name: 'Resume' }).click()
    await becomes(page, 'Waiting', '0')
    await becomes(page, 'Delivered', '6')
  })

  test('signing in, sending, looking a message up, pausing a device and undoing that: by keyboard alone', async () => {
    const page = await dashboard.visit()
    /** Presses Tab until what is called so has the focus. */
    const tabTo = async (name: RegExp) => {
      for (let n = 0; n < 120; n += 1) {
        await page.keyboard.press('Tab')
        const [focused = ''] = await page.evaluate(() => {
          const element = document.activeElement as HTMLInputElement
          return [element.ariaLabel ?? element.labels?.[0]?.innerText ?? element.innerText]
        })
        if (name.test(focused.trim())) return
      }
      assert.fail(`Tab does not lead to ${name}`)
    }
    const choose = async (name: RegExp) => {
      await tabTo(name)
      await page.keyboard.press('Enter')
    }
    await page.goto('/staging')
    await page.getByLabel('E-mail').waitFor()
    await page.keyboard.type(owner)
    await tabTo(/^Password/)
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Staging' }).waitFor()
    await choose(/^Messages$/)
    await page.getByRole('heading', { name: 'Messages' }).waitFor()
    await choose(/^New message$/)
    await page.getByRole('heading', { name: 'New message' }).waitFor()
    await page.keyboard.type('+15550105555')
    await tabTo(/^Message/)
    await page.keyboard.type('without a mouse')
    await choose(/^Send$/)
    const sheet = page.getByRole('dialog', { name: 'Message' })
    await sheet.locator('.timeline').getByText('Delivered').waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await choose(/\+1 555 010 5555/)
    await sheet.getByText('without a mouse').waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    assert.match(await page.evaluate(() => (document.activeElement as HTMLElement).innerText), /5555/)
    await page.keyboard.press('Home')
    await choose(/^Devices$/)
    await page.getByRole('heading', { name: 'Devices' }).waitFor()
    await choose(/^What to do with Front desk/)
    await choose(/^Pause$/)
    const row = page.locator('tr', { hasText: 'Front desk' })
    await row.getByText('Paused').waitFor()
    await choose(/^Undo$/)
    await row.getByText('Online').waitFor()
  })
})
