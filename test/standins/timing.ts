/**
 * Notes how long each test file took, in the file that TEST_TIMES names: at once, because a runner that is made to exit
 * does not wait for what its reporters still have to say.
 */

import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

// biome-ignore lint/correctness/useYield: it writes elsewhere
export default async function* timing(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source)
    if (type === 'test:summary' && data.file !== undefined)
      appendFileSync(
        process.env.TEST_TIMES!,
        `${(data.duration_ms / 1_000).toFixed(1).padStart(7)}  ${relative(process.cwd(), data.file)}\n`,
      )
}

/** The slowest first. */
export const slowest = (file: string): string =>
  readFileSync(file, 'utf8').split('\n').sort().reverse().join('\n')
