/** Reports how long each test file took, the slowest first. */

import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

export default async function* timing(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Map<string, number>()
  for await (const { type, data } of source) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting !== 0 || data.file === undefined)
      continue
    const file = relative(process.cwd(), data.file)
    files.set(file, (files.get(file) ?? 0) + data.details.duration_ms)
  }
  const slowest = [...files].sort(([, a], [, b]) => b - a)
  yield '\nSeconds by file:\n'
  for (const [file, ms] of slowest) yield `${(ms / 1_000).toFixed(1).padStart(7)}  ${file}\n`
}
