/** Who may know whom: the picture in CONTRIBUTING.md, kept true. */

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const parts = ['core', 'edge', 'http', 'links', 'store', 'outbound', 'secrets', 'host', 'config']
/** Each room, and those whose files it may import. */
const allowed: Record<string, readonly string[]> = {
  core: ['core'],
  store: ['store', 'core'],
  edge: ['edge', 'core'],
  http: ['http', 'edge', 'core'],
  links: ['links', 'edge', 'core'],
  outbound: ['outbound', 'core'],
  simulator: ['simulator', 'core'],
  host: ['host', 'core'],
  config: ['config', 'host'],
  secrets: ['secrets', 'core', 'config', 'host'],
  wiring: ['wiring', ...parts],
  main: ['main', 'wiring', ...parts],
  cli: ['cli', 'main', 'wiring', 'secrets', 'host', 'config', 'store', 'core', 'simulator', 'sdk'],
  sdk: ['sdk'],
  web: ['web', 'sdk'],
}
/** `src/core/messages/message.ts` is in core, `sdk/src/index.ts` in sdk, `src/main.ts` is main itself. */
const roomOf = (path: string) => {
  const names = relative(root, path).split('/')
  return names[0] === 'src' ? names[1]!.replace(/\.ts$/, '') : names[0]!
}
const sources = globSync('{src,sdk/src,web/src}/**/*.{ts,tsx}', { cwd: root })
  .filter(file => !/\.test\.tsx?$/.test(file))
  .map(file => join(root, file))
const importsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name!)
/** The files of ours that a file imports, types included. */
const ownImportsOf = (file: string) =>
  importsOf(file)
    .filter(name => name.startsWith('.'))
    .map(name => join(dirname(file), name))

test('every room has its rule', () => {
  const rooms = new Set(sources.map(roomOf))
  assert.deepEqual([...rooms].sort(), Object.keys(allowed).sort())
})
test('rooms import only those they may know', () => {
  for (const file of sources)
    for (const imported of ownImportsOf(file))
      assert.ok(
        allowed[roomOf(file)]!.includes(roomOf(imported)),
        `${relative(root, file)} imports ${relative(root, imported)}`,
      )
})
test('only wiring and main know two of http, links and store', () => {
  for (const [room, known] of Object.entries(allowed)) {
    if (room === 'wiring' || room === 'main') continue
    const doors = known.filter(one => ['http', 'links', 'store'].includes(one))
    assert.ok(doors.length <= 1, `${room} knows ${doors.join(' and ')}`)
  }
})
test('no file imports itself over others, not even for a type', () => {
  const isDone = new Set<string>()
  const walk = (file: string, way: readonly string[]): void => {
    const circle = way.slice(way.indexOf(file))
    if (way.includes(file))
      assert.fail([...circle, file].map(one => relative(root, one)).join('\n  imports '))
    if (isDone.has(file)) return
    for (const imported of ownImportsOf(file)) walk(imported, [...way, file])
    isDone.add(file)
  }
  for (const file of sources) walk(file, [])
})
test('src itself holds main, config and rooms; a room with many files has a folder for each subject', () => {
  const loose = sources.map(file => relative(root, file)).filter(file => /^src\/[^/]+$/.test(file))
  assert.deepEqual(loose.sort(), ['src/config.ts', 'src/main.ts'])
  for (const room of ['core', 'http', 'links', 'store']) {
    const flat = sources.filter(file => dirname(relative(root, file)) === `src/${room}`)
    assert.ok(flat.length <= 10, `${room} has ${flat.length} files outside its folders`)
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
