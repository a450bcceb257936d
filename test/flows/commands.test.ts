/** The command line, as people and scripts use it. Most commands run here; some in processes of their own, as all do for people. */

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { help } from '../../src/cli/command.ts'
import { allCommands } from '../../src/cli/commands.ts'
import { limits } from '../../src/core/limits.ts'
import { openStore } from '../../src/store/open.ts'
import { Catcher, verify } from '../standins/catcher.ts'
import { databases, scratch } from '../standins/databases.ts'
import { soonMs, until } from '../standins/gateway.ts'
import { freePort } from '../standins/port.ts'
import { passedOn, type Ran, ranHere } from '../standins/program.ts'

const program = join(import.meta.dirname, '../../src/cli/basestation.ts')

// biome-ignore lint/suspicious/noExplicitAny: what a command prints has many shapes; the assertions say which
type Result = { code: number; out: string; error: string; json: any }

for (const database of databases)
  describe(`the command line on ${database.name}`, () => {
    const onceOnly = { skip: database.name !== 'SQLite' && 'both databases are tested at what it calls' }
    let environment: Record<string, string>
    let server: ChildProcess
    let welcome = ''
    let firstKey = ''

    function start(args: readonly string[], more: Record<string, string> = {}) {
      return spawn(process.execPath, [program, ...args], {
        env: { ...passedOn(), ...environment, ...more },
      })
    }
    const wordsOf = (args: string) => args.split(' ').map(word => word.replaceAll('_', ' '))
    const read = ({ code, out, error }: Ran): Result => {
      let json: unknown
      try {
        json = JSON.parse(out)
      } catch {}
      return { code, out, error, json }
    }
    const run = async (args: string, more: Record<string, string> = {}): Promise<Result> =>
      read(await ranHere(wordsOf(args), { ...environment, ...more }))
    /** In a process of its own, as scripts do. */
    async function runApart(args: string, more: Record<string, string> = {}): Promise<Result> {
      const child = start(wordsOf(args), more)
      let [out, error] = ['', '']
      child.stdout.on('data', chunk => {
        out += chunk
      })
      child.stderr.on('data', chunk => {
        error += chunk
      })
      const [code] = await once(child, 'close')
      return read({ code, out, error })
    }
    async function serve(): Promise<void> {
      welcome = ''
      server = start(['serve'])
      server.stdout!.on('data', chunk => {
        welcome += chunk
      })
      await until('it listens', () => welcome.includes('/docs'))
    }

    before(async () => {
      const folder = join(scratch(), database.name)
      mkdirSync(folder, { recursive: true })
      environment = {
        DATA_DIR: folder,
        DATABASE_URL: await database.empty(),
        PORT: String(await freePort()),
        LOG_LEVEL: 'error',
      }
      await serve()
      firstKey = /bs_test_\w+/.exec(welcome)?.[0] ?? ''
    })
    after(async () => {
      server.kill('SIGKILL')
    })

    test('the first start prints a curl line that delivers a message through a simulated phone', async () => {
      const line = /curl [^\n]*\/sms\/send \\\n(?:.*\\\n)*.*-d '.*'/.exec(welcome)?.[0]
      assert.ok(line, welcome)
      const curl = spawn('sh', ['-c', `${line} -s`])
      let out = ''
      curl.stdout.on('data', chunk => {
        out += chunk
      })
      const [code] = await once(curl, 'close')
      assert.equal(code, 0)
      const { message_id } = JSON.parse(out)
      const { code: ended, out: shown } = await run(`status ${message_id} --watch`, {
        BASESTATION_KEY: firstKey,
      })
      assert.equal(ended, 0)
      assert.match(shown, /delivered {2}at \d{4}/)
    })

    test('send --watch shows the states as they happen and ends as the message did', onceOnly, async () => {
      const good = await run('send --to +15550101234 --message Hello_there --watch', {
        BASESTATION_KEY: firstKey,
      })
      assert.equal(good.code, 0, good.error)
      assert.match(good.out, /queued for \+15550101234/)
      assert.match(good.out, /delivered/)
      const bad = await run('send --to +15550100001 --message x --watch --json', {
        BASESTATION_KEY: firstKey,
      })
      assert.equal(bad.code, 1)
      const last = JSON.parse(bad.out.trim().split('\n').at(-1)!)
      assert.deepEqual([last.status, last.error.code], ['failed', 'network_rejected'])
    })

    test('inbox lists what came in, and --follow shows what comes', onceOnly, async () => {
      const key = { BASESTATION_KEY: firstKey }
      const follower = start(['inbox', '--follow', '--json'], key)
      let seen = ''
      follower.stdout.on('data', chunk => {
        seen += chunk
      })
      // It shows what comes from its start on, and nobody else knows when that is.
      await until('it was shown', async () => {
        await run('send --to +15550100005 --message ping', key)
        await new Promise(resolve => setTimeout(resolve, 500))
        return seen.includes('PONG')
      })
      follower.kill()
      assert.equal(JSON.parse(seen.trim().split('\n')[0]!).from, '+15550100005')
      const listed = await run('inbox --json', key)
      assert.equal(listed.json.data[0].message, 'PONG')
      assert.match((await run('inbox', key)).out, /RECEIVED AT +FROM +DEVICE +MESSAGE\n.*PONG/)
    })

    test('a key made beside the running server works at once, and one revoked stops within a second', async () => {
      const made = await run(
        'keys create --name Scripts --environment staging --scopes messages:read,inbox:read --rate-limit 500 --expires 90d --allow-ips 127.0.0.0/8 --json',
      )
      assert.equal(made.code, 0, made.error)
      const { id, key, scopes, rate_limit, expires_at, allowed_ips } = made.json
      assert.match(key, /^bs_test_/)
      assert.deepEqual(
        [scopes, rate_limit, allowed_ips],
        [['messages:read', 'inbox:read'], 500, ['127.0.0.0/8']],
      )
      assert.ok(Date.parse(expires_at) > Date.now() + 89 * 86_400_000)
      assert.equal((await run('inbox', { BASESTATION_KEY: key })).code, 0)
      const refused = await run('send --to +15550101234 --message x', { BASESTATION_KEY: key })
      assert.equal(refused.code, 4)
      assert.match(refused.error, /messages:send/)
      assert.equal((await run(`keys revoke ${id}`)).code, 0)
      await until(
        'it stopped',
        async () => (await run('inbox --json', { BASESTATION_KEY: key })).error.includes('revoked_key'),
        soonMs,
      )
      const listed = (await run('keys list --environment staging --json')).json
      assert.ok(
        listed.every((one: object) => !('key' in one) && !('hash' in one)),
        'a key is shown once',
      )
      assert.ok(listed.find((one: { id: string }) => one.id === id).revoked_at)
    })

    test('by default a key is for production and may send and read', onceOnly, async () => {
      const { json } = await run('keys create --name Default --json')
      assert.match(json.key, /^bs_live_/)
      assert.deepEqual(
        [json.environment, json.scopes],
        ['production', ['messages:send', 'messages:read', 'inbox:read']],
      )
    })

    test('a device added beside the running server is online within a second, and can be changed, paused and removed', async () => {
      const added = await run('devices add --kind simulated --name Second_phone --phone +15550100009 --json')
      assert.equal(added.code, 0, added.error)
      const { id } = added.json
      assert.deepEqual(
        [added.json.name, added.json.kind, added.json.environment],
        ['Second phone', 'simulated', 'staging'],
      )
      const find = async () =>
        (await run('devices list --environment staging --json')).json.find(
          (one: { id: string }) => one.id === id,
        )
      await until('online', async () => (await find()).status === 'online', soonMs)
      await run(`devices set ${id} --name New --per-minute 7 --per-day none`)
      assert.equal((await run(`devices pause ${id}`)).code, 0)
      const { name, per_minute, per_day, paused } = await find()
      assert.deepEqual([name, per_minute, per_day, paused], ['New', 7, null, true])
      assert.match((await run('devices list')).out, /online, paused/)
      assert.equal((await run(`devices resume ${id}`)).code, 0)
      assert.equal((await run(`devices remove ${id}`)).code, 0)
      assert.equal(await find(), undefined)
      assert.equal((await run(`devices remove ${id}`)).code, 4)
    })

    test('simulated phones are refused in production', onceOnly, async () => {
      const { code, error } = await run('devices add --kind simulated --name x --environment production')
      assert.equal(code, 2)
      assert.match(error, /only in staging/)
    })

    test(
      'an Android phone: what to type, every step, and whether the address can work',
      onceOnly,
      async () => {
        const { json: added } = await run('devices add --kind android --name Desk_phone --json')
        assert.deepEqual([added.name, added.kind, added.status], ['Desk phone', 'android', 'offline'])
        const { url, token, code, steps, warning } = added.enrolment
        assert.equal(url, `http://127.0.0.1:${environment.PORT}/mobile/v1`)
        assert.match(code, /^\d{8}$/)
        assert.match(warning, /adb reverse/)
        const { out } = await run('devices add --kind android --name Other', {
          PUBLIC_URL: 'https://sms.example.org',
        })
        const { json: seen } = await run(`devices show ${added.id} --json`)
        assert.equal(seen.attention[0].code, 'not_connected')
        // A shell that was not told where the gateway is asks the database.
        const elsewhere = await run('devices add --kind android --name Elsewhere --json', { PORT: '1' })
        assert.equal(elsewhere.json.enrolment.url, url)
        assert.match(out, /API URL +https:\/\/sms\.example\.org\/mobile\/v1/)
        assert.doesNotMatch(out, /Warning:/)
        for (const word of [url, token, code, 'SSE Only']) assert.ok(steps.join().includes(word), word)
        const post = (secret: string) =>
          fetch(`${url}/device`, { method: 'POST', headers: { authorization: secret }, body: '{}' })
        assert.equal((await post(`Code ${code}`)).status, 201)
        const { json: again } = await run(`devices enrol ${added.id} --no-code --json`)
        assert.equal(again.enrolment.code, null)
        assert.equal((await post(`Bearer ${token}`)).status, 401)
        assert.equal((await post(`Bearer ${again.enrolment.token}`)).status, 201)
        await until('seen', async () => {
          const { out: list } = await run('devices list')
          return /Other .*not_connected/.test(list) && /Desk phone .*online/.test(list)
        })
        for (const { id, kind } of (await run('devices list --json')).json)
          if (kind === 'android') assert.equal((await run(`devices remove ${id}`)).code, 0)
      },
    )

    test('simulate runs phones over the real protocol and leaves nothing behind', onceOnly, async () => {
      const before = (await run('devices list --json')).json.length
      const phones = start('simulate --phones 5 --seconds 8 --json'.split(' '))
      let out = ''
      phones.stdout.on('data', chunk => {
        out += chunk
      })
      const lines = () =>
        out
          .trim()
          .split('\n')
          .filter(line => line !== '')
          .map(line => JSON.parse(line))
      await until('online', () => lines().at(-1)?.online === 5)
      const { json: listed } = await run('devices list --json')
      const phone = listed.find(({ kind }: { kind: string }) => kind === 'android')
      const sent = await run(`send --to +15550101234 --message hi --device ${phone.id} --watch --json`, {
        BASESTATION_KEY: firstKey,
      })
      assert.match(sent.out, /"delivered"/)
      const [code] = await once(phones, 'close')
      assert.equal(code, 0)
      assert.deepEqual([lines().at(-1).delivered, lines().at(-1).twice], [1, 0])
      assert.equal((await run('devices list --json')).json.length, before)
      const { json: keys } = await run('keys list --json')
      assert.ok(
        keys
          .filter(({ name }: { name: string }) => name.includes('simulate'))
          .every((key: { revoked_at: string }) => key.revoked_at !== null),
      )
      assert.equal((await run('simulate --key bs_live_x')).code, 2)
      assert.equal((await run('simulate --phones 0')).code, 2)
    })

    test('wrong usage is exit code 2 and says what is wrong', onceOnly, async () => {
      for (const [args, words] of [
        ['nonsense', 'no command'],
        ['keys', 'needs a subcommand'],
        ['devices frob', 'no command “devices frob”'],
        ['devices set x --per-day -1', '--per-day must not begin with a hyphen'],
        ['send --to x --message x --sim-slot 0', 'API key'],
        ['keys create', '--name is missing'],
        ['keys create --name x --scopes everything', 'not a scope'],
        ['keys create --name x --expires tomorrow', '--expires'],
        ['devices set', 'ID is missing'],
        ['send --to x --message x', 'API key'],
        ['status a b', 'unexpected argument'],
        ['send --tto x', '--tto'],
      ] as const) {
        const { code, error } = await run(args)
        assert.equal(code, 2, args)
        assert.ok(error.includes(words), `${args}: ${error}`)
      }
      assert.equal((await runApart('nonsense')).code, 2, 'for the shell too')
    })

    test('webhooks: add, test, change, new secret, log, replay, remove', onceOnly, async () => {
      const catcher = new Catcher()
      const allow = { WEBHOOK_ALLOW_HOSTS: new URL(await catcher.start()).host }
      const refused = await run(`webhooks add --url ${catcher.url} --environment staging`)
      assert.equal(refused.code, 4)
      assert.match(refused.error, /WEBHOOK_ALLOW_HOSTS/)
      const { json } = await run(
        `webhooks add --url ${catcher.url}/hook --types message.delivered --environment staging --json`,
        allow,
      )
      assert.match(json.secret, /^whsec_/)
      assert.match((await run('webhooks list')).out, /hook/)
      assert.equal((await run('webhooks list --environment production --json')).json.length, 0)
      const tested = await run(`webhooks test ${json.id}`, allow)
      assert.equal(tested.code, 0, tested.error)
      assert.match(tested.out, /answered 200 after/)
      verify(json.secret, catcher.caught[0]!)
      const rotated = await run(`webhooks rotate ${json.id} --overlap-hours 1 --json`)
      assert.notEqual(rotated.json.secret, json.secret)
      assert.equal((await run(`webhooks set ${json.id} --types all --off --json`)).json.enabled, false)
      assert.equal((await run(`webhooks set ${json.id} --on --json`)).json.types, null)
      assert.match((await run(`webhooks log ${json.id}`)).out, /No deliveries yet|evt_/)
      assert.equal((await run(`webhooks replay ${json.id}`)).code, 2)
      assert.equal((await run(`webhooks replay ${json.id} --event evt_999999999`)).code, 4)
      assert.equal((await run(`webhooks replay ${json.id} --since 2026-01-01`)).code, 0)
      assert.equal((await run(`webhooks remove ${json.id}`)).code, 0)
      assert.equal((await run(`webhooks remove ${json.id}`)).code, 4)
      catcher.stop()
    })

    test('opt-outs and forgetting people', onceOnly, async () => {
      const staging = '--environment staging'
      assert.equal((await run(`opt-outs add +15550107777 ${staging}`)).code, 0)
      assert.match((await run(`opt-outs list ${staging}`)).out, /\+15550107777 +command line/)
      const key = { BASESTATION_KEY: firstKey }
      const sent = await run('send --to +15550107777 --message x', key)
      assert.equal(sent.code, 4)
      assert.match(sent.error, /opted out/)
      assert.match((await run(`people erase +15550107777 ${staging}`)).out, /blanked 0 messages/)
      assert.match((await run(`opt-outs list ${staging}`)).out, /forgotten/)
      assert.equal((await run(`opt-outs remove +15550107777 ${staging}`)).code, 0)
      assert.equal((await run(`opt-outs remove +15550107777 ${staging}`)).code, 4)
      assert.equal((await run('opt-outs add nobody')).code, 2)
    })

    test('every command has --help', onceOnly, async () => {
      const { out } = await run('--help')
      const commands = await allCommands()
      for (const { name } of commands) assert.ok(out.includes(`\n  ${name} `), name)
      for (const command of commands) {
        const text = help(command)
        assert.ok(text.startsWith(`basestation ${command.name}`), text)
        assert.match(text, /--json/)
        const shown = await run(`${command.name} --help`)
        assert.equal(shown.code, 0, command.name)
        assert.equal(shown.out, `${text}\n`)
      }
    })

    test('wrong settings are all named at once', onceOnly, async () => {
      const { code, error } = await runApart('config', {
        PORT: 'x',
        LOG_LEVEL: 'loud',
        MEDIA_HTTPS_ONLY: 'perhaps',
      })
      assert.equal(code, 2)
      for (const name of ['PORT', 'LOG_LEVEL', 'MEDIA_HTTPS_ONLY']) assert.ok(error.includes(name))
    })

    test('config shows every setting and no secret', onceOnly, async () => {
      const { out, json } = await run('config --json', { BASESTATION_KEY: firstKey })
      assert.ok(json.length >= 12)
      assert.equal(out.includes(firstKey), false)
      assert.doesNotMatch(out, /postgres:postgres@/)
    })

    test('config shows every limit with its value and the reason for it', onceOnly, async () => {
      const { json } = await run('config --json')
      for (const [name, { value, why }] of Object.entries(limits)) {
        const shown = json.find((one: { name: string }) => one.name === `limit ${name}`)
        assert.ok(shown?.value.startsWith(String(value)), name)
        assert.equal(shown.about, why)
      }
    })

    test('names of strangers do not move the cursor, whichever command prints them', onceOnly, async () => {
      const { json } = await run('devices add --kind simulated --name x --environment staging --json')
      const evil = '\u001b]0;owned\u0007\u001b[2Jphone\u202e'
      const store = await openStore(environment.DATABASE_URL!, { now: Date.now })
      await store.change(json, { name: evil })
      await store.close()
      for (const command of ['pause', 'resume', 'drain', 'show', 'remove']) {
        const { out, error } = await run(`devices ${command} ${json.id}`)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
        assert.doesNotMatch(out + error, /[\u001b\u0007\u202e]/, command)
        assert.match(out + error, /phone/, command)
      }
    })

    test('doctor finds nothing broken, and migrate nothing to do', async () => {
      chmodSync(environment.DATA_DIR!, 0o700)
      const { code, json } = await runApart('doctor --json')
      assert.equal(code, 0)
      assert.deepEqual(
        json.filter(({ result }: { result: string }) => result !== 'ok'),
        [],
      )
      assert.deepEqual((await runApart('migrate --json')).json.taken, [])
    })

    test('a gateway that is not there is exit code 3', onceOnly, async () => {
      const { code, error } = await runApart('inbox --url http://127.0.0.1:9', { BASESTATION_KEY: firstKey })
      assert.equal(code, 3)
      assert.match(error, /Is the gateway running/)
    })

    test('a second gateway on the same port says so', onceOnly, async () => {
      const { code, error } = await runApart('serve')
      assert.equal(code, 1)
      assert.match(error, /Port \d+ is taken/)
    })

    test('a backup is restored without sending the past again', async () => {
      const key = { BASESTATION_KEY: firstKey }
      const { json: device } = await run('devices add --kind simulated --name Slow --json')
      await run(`devices pause ${device.id}`)
      const sent = await run(`send --to +15550101234 --message held --device ${device.id} --json`, key)
      const id = JSON.parse(sent.out).message_id
      const file = join(scratch(), `${database.name}.backup`)
      assert.equal((await run(`backup ${file}`)).code, 0)
      assert.notEqual((await run(`backup ${file}`)).code, 0, 'a backup is never overwritten')
      assert.match((await run(`restore ${file}`)).error, /stop it first/)
      // What happens after the backup is what must not happen again: the phone sends it.
      await run(`devices resume ${device.id}`)
      await until(
        'it was sent',
        async () => (await run(`status ${id} --json`, key)).json.status === 'delivered',
      )
      server.kill('SIGTERM')
      await once(server, 'exit')
      assert.match((await run(`restore ${file}`)).error, /--replace/)
      const restored = await run(`restore ${file} --replace --json`)
      assert.equal(restored.code, 0, restored.error)
      assert.equal(restored.json.held, 1)
      await serve()
      assert.equal(/bs_test_/.test(welcome), false, 'this is no first start')
      await run(`devices resume ${device.id}`)
      await until('online', async () =>
        (await run('devices list --json')).json.some(
          (one: { id: string; status: string }) => one.id === device.id && one.status === 'online',
        ),
      )
      await new Promise(resolve => setTimeout(resolve, 1_500))
      assert.equal((await run(`status ${id} --json`, key)).json.status, 'queued', 'held')
      assert.equal((await run('held --json')).json.held, 1)
      assert.equal((await run('held --release --json')).json.released, 1)
      await until('released', async () => (await run(`status ${id} --json`, key)).json.status === 'delivered')
    })

    test('SIGTERM ends it cleanly, with exit code 0', async () => {
      server.kill('SIGTERM')
      const [code] = await once(server, 'exit')
      assert.equal(code, 0)
    })
  })
