/**
 * Runs test files in one process, one after the other, until none is left: what they share is loaded and compiled once.
 * Several workers take from one list. Arguments: a folder in which claims are noted, then the list.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { closeSync, openSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

const [claims = '', ...files] = process.argv.slice(2)

/** True for one worker only. */
function claim(file: string): boolean {
  try {
    closeSync(openSync(join(claims, file.replaceAll('/', '-')), 'wx'))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

const nextFile = () => files.find(claim)

/** Out of the test that is running: tests are registered beside it, not inside it. */
const outside = AsyncLocalStorage.snapshot()

/** Registers the tests of the next file, and behind them one that does the same again when they are over. */
async function goOn(): Promise<void> {
  const file = nextFile()
  // What a test left open must not keep everybody waiting.
  if (file === undefined) setTimeout(() => process.exit(), 1_000).unref()
  else {
    await import(pathToFileURL(resolve(file)).href)
    // Its name tells the reporter which file is over.
    test(file, () => outside(goOn))
  }
}

await goOn()
