#!/usr/bin/env node
// Runs the command line on the Node.js the project pins, whatever the machine has.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as modules from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const self = fileURLToPath(import.meta.url)
const pinned = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))
const cache = fileURLToPath(new URL('../node_modules/.cache/basestation', import.meta.url))
const [major = 0] = process.versions.node.split('.').map(Number)

if (major >= 26) {
  // What was compiled once need not be again: commands begin in a third of the time.
  modules.enableCompileCache(cache)
  await import('../src/cli/basestation.ts')
} else if (existsSync(pinned)) {
  const child = spawn(pinned, [self, ...process.argv.slice(2)], { stdio: 'inherit' })
  // A signal to this process alone is passed on. Ctrl-C reaches the child twice then, which it takes as one.
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
} else {
  console.error(`Basestation needs Node.js 26; this is ${process.versions.node}. In a checkout, run: npm ci`)
  process.exit(1)
}
