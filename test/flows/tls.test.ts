/** HTTPS without a proxy: from two files, read again when they are renewed. */

import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { readConfig } from '../../src/config.ts'
import { inviteAndExplain } from '../../src/core/devices/enrolment.ts'
import { Crowd } from '../../src/simulator/crowd.ts'
import { calm } from '../../src/simulator/trouble.ts'
import { selfSigned } from '../standins/certificate.ts'
import { scratch } from '../standins/databases.ts'
import { until, withGateway } from '../standins/gateway.ts'

/** The name in the certificate that is being served. */
function servedName(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

/** What is answered to a request, head and all. */
function headersOf(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () =>
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    )
    let text = ''
    socket.on('data', chunk => {
      text += chunk
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
}

const files = () => ({ cert: join(scratch(), 'cert.pem'), key: join(scratch(), 'key.pem') })
function write({ cert, key }: { cert: string; key: string }): void {
  writeFileSync(files().cert, cert)
  writeFileSync(files().key, key)
}

test('https is served directly, to phones too, and a renewed certificate is used without a restart', async () => {
  write(selfSigned('first'))
  const settings = { TLS_CERT: files().cert, TLS_KEY: files().key }
  await withGateway({ settings, appPhones: true }, async gateway => {
    assert.match(gateway.url, /^https:\/\//)
    assert.equal(await servedName(gateway.url), 'first')
    assert.match(await headersOf(gateway.url), /strict-transport-security: max-age=31536000/i)
    const crowd = new Crowd({ trouble: calm, ca: readFileSync(files().cert, 'utf8') })
    try {
      const device = await gateway.device('production', { kind: 'android' })
      const { url, token, warning } = await inviteAndExplain(
        { store: gateway.store, publicUrl: gateway.url, now: Date.now() },
        device,
        false,
      )
      assert.match(warning ?? '', /reaches itself/)
      await crowd.join({ url, enrolmentToken: token, name: 'fish' })
      await until('online', async () => {
        await gateway.fleet.refresh()
        return gateway.fleet.member(device.id)?.online === true
      })
    } finally {
      crowd.stop()
    }
    // Half of a renewal is no renewal: the old certificate stays until both files fit.
    const second = selfSigned('second')
    writeFileSync(files().cert, second.cert)
    await until('complained', () =>
      gateway.logged.some(({ text }) => String(text).includes('the new certificate is invalid')),
    )
    assert.equal(await servedName(gateway.url), 'first')
    writeFileSync(files().key, second.key)
    await until('renewed', async () => (await servedName(gateway.url)) === 'second')
  })
})

test('a certificate without its key, or one that is not there, is said at the start', async () => {
  assert.throws(() => readConfig({ TLS_CERT: 'x' }), /TLS_CERT and TLS_KEY: both are needed/)
  assert.throws(() => readConfig({ TLS_KEY: 'x' }), /TLS_CERT and TLS_KEY: both are needed/)
  assert.equal(readConfig({ TLS_CERT: 'x', TLS_KEY: 'y' }).PUBLIC_URL, 'https://127.0.0.1:8080')
  write(selfSigned('third'))
  rmSync(files().key)
  const settings = { TLS_CERT: files().cert, TLS_KEY: files().key }
  await assert.rejects(
    withGateway({ settings }, async () => {}),
    /ENOENT/,
  )
})
