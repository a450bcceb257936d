/** Who may know whom: the picture in CONTRIBUTING.md, kept true. */

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const allowed: Record<string, readonly string[]> = {
  core: ['core'],
  store: ['store', 'core'],
  http: ['http', 'core'],
  links: ['links', 'core'],
  outbound: ['outbound', 'core'],
  simulator: ['simulator', 'core'],
  cli: [
    'cli',
    'core',
    'store',
    'simulator',
    'sdk',
    'main',
    'config',
    'first-run',
    'pairing',
    'secrets',
    'cloud-number',
    'tls',
    'memory',
    'accounts',
    'webhooks',
    'version',
  ],
  sdk: ['sdk'],
  web: ['web', 'sdk'],
}
/** `src/core/key.ts` is in core, `sdk/src/index.ts` in sdk, `src/main.ts` is main itself. */
const roomOf = (path: string) => {
  const parts = relative(root, path).split('/')
  return parts[0] === 'src' ? parts[1]!.replace(/\.ts$/, '') : parts[0]!
}
const sources = globSync('{src,sdk/src,web/src}/**/*.{ts,tsx}', { cwd: root })
  .filter(file => !file.endsWith('.test.ts'))
  .map(file => join(root, file))
const importsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map(([, name]) => name!)

test('rooms import only those they may know', () => {
  for (const file of sources)
    for (const name of importsOf(file).filter(one => one.startsWith('.'))) {
      const known = allowed[roomOf(file)]
      const room = roomOf(join(dirname(file), name))
      if (known) assert.ok(known.includes(room), `${relative(root, file)} imports ${name}`)
    }
})
test('the core needs nothing but Node.js, and the SDK not even that', () => {
  for (const file of sources)
    for (const name of importsOf(file).filter(one => !one.startsWith('.'))) {
      if (roomOf(file) === 'core') assert.match(name, /^node:/, relative(root, file))
      assert.notEqual(roomOf(file), 'sdk', `${relative(root, file)} imports ${name}`)
    }
})
test('settings are read in one place', () => {
  for (const file of sources)
    if (readFileSync(file, 'utf8').includes('process.env'))
      assert.equal(relative(root, file), 'src/cli/basestation.ts')
})
test('no file outgrows its noun', () => {
  for (const file of sources.filter(one => !one.endsWith('sdk/src/api.ts')))
    assert.ok(readFileSync(file, 'utf8').split('\n').length <= 300, relative(root, file))
})
