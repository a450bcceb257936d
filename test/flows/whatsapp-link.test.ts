/** Linking a WhatsApp number from the command line, with the gateway running beside it as a process of its own. */

import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { proto } from 'baileys'
import { openStore } from '../../src/store/open.ts'
import { emptySqlite, scratch } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { freePort } from '../standins/port.ts'
import { type Printed, Program } from '../standins/program.ts'
import type { Party } from '../standins/whatsapp/party.ts'
import { WhatsAppStandin } from '../standins/whatsapp/server.ts'

describe('linking WhatsApp numbers', () => {
  const server = new WhatsAppStandin()
  let environment: Record<string, string>
  let program: Program
  let gateway: ChildProcess
  let account: Party
  before(async () => {
    const url = await server.start()
    account = server.add({ phone: '15550001000', lid: '900000000001', name: 'Shop' })
    server.add({ phone: '15550002000', lid: '900000000002', name: 'Bob' })
    environment = {
      DATA_DIR: scratch(),
      DATABASE_URL: await emptySqlite(),
      PORT: String(await freePort()),
      WHATSAPP_WS_URL: url,
    }
    program = new Program(environment)
    gateway = await program.serve()
  })
  after(() => {
    gateway.kill('SIGKILL')
    server.stop()
  })

  const run = (args: string, at: (step: Printed) => void | Promise<void> = () => {}) =>
    program.steps(args, at)
  const scan = (step: Printed) => {
    if (step.step === 'qr') server.scan(step.qr, account)
  }
  const devices = (): Promise<Printed[]> => program.json('devices list')

  test('scanned: the device is there, and online through the running gateway', async () => {
    const { code, steps, error } = await run('devices add --kind whatsapp --name Shop', scan)
    assert.equal(code, 0, error)
    assert.equal(steps[0].step, 'qr')
    assert.ok(Date.parse(steps[0].expires_at) > Date.now())
    const { step, device } = steps.at(-1)
    assert.deepEqual([step, device.phone, device.kind], ['linked', '+15550001000', 'whatsapp'])
    await until('online', async () =>
      (await devices()).some(one => one.id === device.id && one.status === 'online'),
    )
  })
  test('the session’s secrets are sealed at rest, with a key that only the owner can read', async () => {
    const path = join(environment.DATA_DIR!, 'secret.key')
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const store = await openStore(environment.DATABASE_URL!, { now: Date.now })
    const [device] = (await store.allDevices()).filter(({ kind }) => kind === 'whatsapp')
    const [creds] = await store.vaultList(device!.id, 'creds')
    assert.doesNotMatch(creds!.value, /noiseKey|15550001000/)
    assert.doesNotMatch(Buffer.from(creds!.value, 'base64').toString('latin1'), /noiseKey|15550001000/)
    await store.close()
    assert.doesNotMatch(readFileSync(environment.DATABASE_URL!.slice('sqlite:'.length), 'latin1'), /noiseKey/)
  })
  test('a number that is a device already is refused', async () => {
    const { code, steps } = await run('devices add --kind whatsapp --name Again', scan)
    assert.equal(code, 1)
    assert.deepEqual([steps.at(-1).step, steps.at(-1).code], ['failed', 'number_taken'])
    assert.equal((await devices()).filter(({ kind }) => kind === 'whatsapp').length, 1)
  })
  test('a scan by another number than the one that was meant is refused', async () => {
    const { code, steps } = await run('devices add --kind whatsapp --name Other --phone +15550007777', scan)
    assert.equal(code, 1)
    assert.equal(steps.at(-1).code, 'wrong_number')
  })
  test('by a code that is typed into the phone', async () => {
    const second = server.add({ phone: '15550003000', lid: '900000000003', name: 'Second' })
    const { code, steps } = await run(
      'devices add --kind whatsapp --name Second --phone +15550003000',
      async step => {
        if (step.step === 'code') await server.type(step.code, second)
      },
    )
    assert.equal(code, 0)
    assert.equal(steps.at(-1).device.phone, '+15550003000')
  })
  test('a server that asks for a fresh secret after the scan gets one, drawn into the same code', async () => {
    server.wantsFreshSecret = true
    const third = server.add({ phone: '15550004000', lid: '900000000004', name: 'Third' })
    const { code, steps } = await run('devices add --kind whatsapp --name Third', step => {
      if (step.step === 'qr') server.scan(step.qr, third)
    })
    server.wantsFreshSecret = false
    assert.equal(code, 0)
    const drawn = steps.filter(({ step }) => step === 'qr').map(({ qr }) => qr.split('#')[1].split(','))
    assert.equal(drawn.length, 2)
    assert.equal(drawn[0][0], drawn[1][0], 'the same reference')
    assert.notEqual(drawn[0][3], drawn[1][3], 'another secret')
    assert.equal(steps.at(-1).device.phone, '+15550004000')
  })
  test('a code that WhatsApp refuses is not shown; the QR code still works', async () => {
    server.refusesCodes = true
    let qr = ''
    const fourth = server.add({ phone: '15550005000', lid: '900000000005', name: 'Fourth' })
    const { code, steps } = await run(
      'devices add --kind whatsapp --name Fourth --phone +15550005000',
      step => {
        if (step.step === 'qr') qr = step.qr
        if (step.step === 'code_refused') server.scan(qr, fourth)
      },
    )
    server.refusesCodes = false
    assert.equal(code, 0)
    assert.deepEqual(
      steps.map(({ step }) => step),
      ['qr', 'code_refused', 'linked'],
    )
    assert.match(steps[1].detail, /400 bad-request/)
  })
  test('it names a common browser, and the version that was set', async () => {
    const sixth = server.add({ phone: '15550006000', lid: '900000000006', name: 'Sixth' })
    const named = new Program({ ...environment, WHATSAPP_VERSION: '2.3000.999' })
    const { code } = await named.steps('devices add --kind whatsapp --name Sixth', step => {
      if (step.step === 'qr') server.scan(step.qr, sixth)
    })
    assert.equal(code, 0)
    const { userAgent, devicePairingData } = server.payloads.findLast(one => one.devicePairingData)!
    const { primary, secondary, tertiary } = userAgent!.appVersion!
    assert.deepEqual([primary, secondary, tertiary], [2, 3000, 999])
    const props = proto.DeviceProps.decode(devicePairingData!.deviceProps!)
    assert.equal(props.platformType, proto.DeviceProps.PlatformType.CHROME)
  })
  test('an attempt that is given up leaves nothing behind', async () => {
    const before = (await devices()).length
    const child = program.start('devices add --kind whatsapp --name Never --json')
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    const [code] = await once(child, 'close')
    assert.equal(code, 1)
    assert.equal((await devices()).length, before)
  })
  test('logged out on the phone: it says so, and can be linked again', async () => {
    server.unlink(account)
    const [device] = (await devices()).filter(({ phone }) => phone === '+15550001000')
    await until('told', async () =>
      (await devices()).some(
        one => one.id === device.id && one.attention.some((a: Printed) => a.code === 'logged_out'),
      ),
    )
    const { code } = await run(`devices link ${device.id}`, scan)
    assert.equal(code, 0)
    await until('online', async () =>
      (await devices()).some(one => one.id === device.id && one.status === 'online'),
    )
  })
})
