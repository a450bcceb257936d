/** What is written stays true. */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { options } from '../src/config.ts'
import { simulatedOutcome } from '../src/core/devices/simulated-outcome.ts'
import { failures, statuses } from '../src/core/messages/message.ts'

const read = (name: string) => readFileSync(join(import.meta.dirname, '..', name), 'utf8')

test('the README lists every setting with its default, and no other', () => {
  const table = read('README.md').split('## Settings')[1]!
  const rows = [...table.matchAll(/^\| `([A-Z0-9_]+)` \|([^|]*)\|/gm)].map(
    ([, name, value]) => [name!, value!.trim()] as const,
  )
  assert.deepEqual(rows.map(([name]) => name).sort(), Object.keys(options).sort())
  for (const [name, shown] of rows) {
    const { default: value } = options[name as keyof typeof options]
    if (value !== undefined) assert.equal(shown, `\`${value}\``, name)
  }
})

test('the lifecycle describes every state and every reason', () => {
  const text = read('docs/lifecycle.md')
  for (const word of [...statuses, ...Object.keys(failures)])
    assert.ok(text.includes(`| \`${word}\` |`), word)
})

test('the README lists every fate of the simulated phones', () => {
  for (const end of ['0001', '0002', '0003', '0004', '0005', '0006']) {
    assert.ok(read('README.md').includes(`| \`${end}\` |`))
    assert.notEqual(simulatedOutcome(`+1555010${end}`), simulatedOutcome('+15550101234'))
  }
})

test('links between the papers lead somewhere', () => {
  const papers = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    ...readdirSync(join(import.meta.dirname, '../docs'))
      .filter(name => name.endsWith('.md'))
      .map(name => `docs/${name}`),
  ]
  for (const paper of papers)
    for (const [, target] of read(paper).matchAll(/\]\(([^)#]+)\)/g))
      if (!/^https?:/.test(target!))
        assert.doesNotThrow(() => readdirOrRead(join(paper, '..', target!)), `${paper} → ${target}`)
})

const readdirOrRead = (path: string) => {
  try {
    return read(path)
  } catch {
    return readdirSync(join(import.meta.dirname, '..', path)).join()
  }
}

test('the lock file names no registry', () => {
  assert.doesNotMatch(read('package-lock.json'), /"resolved": "https?:/)
})
