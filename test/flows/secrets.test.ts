/** The key that seals secrets: rotated, interrupted, of an earlier version, chosen by somebody. */

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Store } from '../../src/core/store.ts'
import { ConfigProblem } from '../../src/host/setting.ts'
import { seal } from '../../src/secrets/seal.ts'
import { SealedVault } from '../../src/secrets/sealed-vault.ts'
import { Sealer } from '../../src/secrets/sealer.ts'
import { keyFit, openSealer, rotateKey } from '../../src/secrets/secret-key.ts'
import { openStore } from '../../src/store/open.ts'
import { databases, scratch } from '../standins/databases.ts'
import { startGateway, until } from '../standins/gateway.ts'
import { freePort } from '../standins/port.ts'
import { Program } from '../standins/program.ts'
import { teamOf } from '../standins/team.ts'

const folderOf = () => mkdtempSync(join(scratch(), 'secrets-'))
const settingsOf = (DATA_DIR: string, SECRET_KEY?: string) => ({ DATA_DIR, SECRET_KEY })

/** As the first version sealed. */
const firstSeal = (secret: string, place: readonly string[], text: string) =>
  seal(hash('sha256', `basestation ${secret}`, 'buffer'), place, text)

for (const { name, empty } of databases)
  describe(`the secret key on ${name}`, () => {
    /** A gateway with one of everything that is sealed, which has been stopped. */
    const furnished = async () => {
      const folder = folderOf()
      const database = await empty()
      const gateway = await startGateway({ database, settings: { DATA_DIR: folder } })
      await teamOf(gateway).owner()
      const key = await gateway.key('production', { scopes: ['keys:manage', 'webhooks:manage'] })
      const headers = { 'idempotency-key': 'once' }
      const body = { url: 'https://example.org/hook' }
      const { text: answer } = await gateway.ask('POST', '/api/v1/webhooks', { key, body, headers })
      const [user] = await gateway.store.users()
      const totp = gateway.sealer.seal(['totp'], 'CODES')
      await gateway.store.changeUser(user!.id, { totp, totpStep: 1 })
      const device = await gateway.device('production')
      const entries = Array.from({ length: 1_201 }, (_, n) => ({
        type: 'session',
        id: String(n),
        value: `${n}`,
      }))
      await new SealedVault(gateway.store, device.id, gateway.sealer).write(entries)
      await gateway.stop()
      const look = async (store: Store, sealer: Sealer) => {
        const [webhook] = await store.allWebhooks()
        const [person] = await store.users()
        const vault = await new SealedVault(store, device.id, sealer).list('session')
        return {
          secret: sealer.open(['webhook', webhook!.id], webhook!.secret),
          code: sealer.open(['totp'], person!.totp!),
          entries: [...vault.values()].sort(),
        }
      }
      const repeat = async (SECRET_KEY?: string) => {
        const again = await startGateway({
          database,
          settings: { DATA_DIR: folder, ...(SECRET_KEY !== undefined && { SECRET_KEY }) },
        })
        const { text } = await again.ask('POST', '/api/v1/webhooks', { key, body, headers })
        await again.stop()
        assert.equal(text, answer)
      }
      return { folder, database, look, repeat, values: entries.map(({ value }) => value).sort() }
    }
    const onStore = async <T>(database: string, work: (store: Store) => Promise<T>): Promise<T> => {
      const store = await openStore(database, { now: Date.now })
      try {
        return await work(store)
      } finally {
        await store.close()
      }
    }

    test('a rotated key opens everything, and the old one nothing', async () => {
      const { folder, database, look, values } = await furnished()
      const oldKey = readFileSync(join(folder, 'secret.key'), 'utf8')
      await onStore(database, async store => {
        const before = await look(store, await openSealer(store, settingsOf(folder)))
        const { oldFile } = await rotateKey(store, settingsOf(folder), undefined)
        assert.notEqual(readFileSync(join(folder, 'secret.key'), 'utf8'), oldKey)
        assert.equal(readFileSync(oldFile!, 'utf8'), oldKey)
        assert.deepEqual(await look(store, await openSealer(store, settingsOf(folder))), before)
        assert.deepEqual(before.entries, values)
        copyFileSync(oldFile!, join(folder, 'secret.key'))
        await assert.rejects(openSealer(store, settingsOf(folder)), ConfigProblem)
      })
    })

    test('answers that were kept under seal are given again after a rotation', async () => {
      const { folder, database, repeat } = await furnished()
      await onStore(database, store => rotateKey(store, settingsOf(folder), undefined))
      await repeat()
    })

    test('a stop between the commit and the new file leaves a key that fits', async () => {
      const { folder, database, repeat } = await furnished()
      await onStore(database, async store => {
        const { oldFile } = await rotateKey(store, settingsOf(folder), undefined)
        // As it was then.
        renameSync(join(folder, 'secret.key'), join(folder, 'secret.key.next'))
        renameSync(oldFile!, join(folder, 'secret.key'))
        assert.equal(await keyFit(store, settingsOf(folder)), 'fits')
      })
      await repeat()
      assert.ok(!existsSync(join(folder, 'secret.key.next')))
    })

    test('a stop before the commit leaves the old key, which fits', async () => {
      const { folder, repeat } = await furnished()
      writeFileSync(join(folder, 'secret.key.next'), 'never used\n')
      await repeat()
    })

    test('what the first version sealed is sealed again at the first start', async () => {
      const { folder, database, look } = await furnished()
      const secret = readFileSync(join(folder, 'secret.key'), 'utf8').trim()
      await onStore(database, async store => {
        const sealer = await openSealer(store, settingsOf(folder))
        const before = await look(store, sealer)
        // Back to what it was like: no salt, and nothing names its key.
        await store.reseal({
          from: (await store.sealing()).salt,
          salt: 'gone',
          check: firstSeal(secret, ['check'], 'basestation'),
          again: (place, sealed) => firstSeal(secret, place, sealer.open(place, sealed)),
        })
        const first: Store = {
          ...store,
          sealing: async () => {
            const { salt, ...rest } = await store.sealing()
            return salt === 'gone' ? rest : { salt, ...rest }
          },
          reseal: change => store.reseal({ ...change, from: change.from ?? 'gone' }),
        }
        assert.equal(await keyFit(first, settingsOf(folder)), 'fits')
        assert.equal(await keyFit(first, settingsOf(folder, 'another, typed by hand')), 'wrong')
        const secretOf = async () => (await store.allWebhooks())[0]!.secret
        assert.ok(!(await secretOf()).includes('.'))
        const next = await openSealer(first, settingsOf(folder))
        assert.ok((await secretOf()).startsWith(`${next.id}.`))
        assert.deepEqual(await look(store, next), before)
      })
    })

    test('a key that somebody chose takes the place of the file, and is stretched', async () => {
      const { folder, database, repeat } = await furnished()
      const chosen = 'sixteen characters'
      await onStore(database, async store => {
        await rotateKey(store, settingsOf(folder), chosen)
        assert.equal(await keyFit(store, settingsOf(folder)), 'missing')
        const { salt, check } = await store.sealing()
        assert.doesNotThrow(() => new Sealer({ text: chosen, isTyped: true }, salt!).open(['check'], check!))
        assert.throws(() => new Sealer({ text: chosen, isTyped: false }, salt!).open(['check'], check!))
        assert.throws(() => new Sealer({ text: chosen, isTyped: true }, 'salt').open(['check'], check!))
      })
      await repeat(chosen)
    })
  })

test('basestation secrets rotate says what to do, and not while the gateway runs', async () => {
  const folder = folderOf()
  const program = new Program({ DATA_DIR: folder, PORT: String(await freePort()) })
  const gateway = await program.serve()
  const { code, error } = await program.run('secrets rotate')
  assert.equal(code, 4)
  assert.match(error, /stop it first/)
  gateway.kill('SIGTERM')
  await until('it has ended', () => gateway.exitCode !== null)
  const done = await program.json('secrets rotate')
  assert.notEqual(done.before, done.after)
  assert.ok(existsSync(done.old_file))
  writeFileSync(join(folder, 'short'), 'too short')
  assert.equal((await program.run(`secrets rotate --new-key-file ${join(folder, 'short')}`)).code, 2)
  const set = new Program({ DATA_DIR: folder, SECRET_KEY: 'sixteen characters' })
  assert.match((await set.run('secrets rotate')).error, /--new-key-file/)
})
