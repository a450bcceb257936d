/** Runs test files in a few processes that take them one by one, and shows each file when it is over. */

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** Most tests wait for something most of the time. */
const workers = 5

/** These change the program before it is loaded, and need a process of their own. */
const alone = /device-kinds/

type TestEvent = {
  type: string
  data: { name?: string; nesting?: number; skip?: unknown; details?: { type?: string } }
}

export class TestRun {
  readonly #files: readonly string[]
  readonly #shown = new PassThrough({ objectMode: true })
  /** By file. */
  readonly #seconds = new Map<string, number>()
  readonly #counts = { passed: 0, failed: 0, skipped: 0 }

  constructor(files: readonly string[]) {
    this.#files = files
  }

  /** True if everything passed. */
  async finish(): Promise<boolean> {
    const showing = pipeline(this.#shown.compose(spec), process.stdout, { end: false })
    const apart = this.#files.filter(file => alone.test(file)).map(file => [file])
    const together = this.#files.filter(file => !alone.test(file))
    const lists = [...Array.from({ length: Math.min(workers, together.length) }, () => together), ...apart]
    const claims = mkdtempSync(join(tmpdir(), 'claims-'))
    await Promise.all(lists.map(list => this.#follow(claims, list)))
    this.#shown.end()
    await showing
    this.#summarize()
    const isWhole = this.#seconds.size === this.#files.length
    return isWhole && this.#counts.failed === 0
  }

  /** Starts a worker. What it reports is kept until a file is over, so that no two files are mixed. */
  async #follow(claims: string, files: readonly string[]): Promise<void> {
    const events: AsyncIterable<TestEvent> = run({
      files: [join(import.meta.dirname, 'worker.ts')],
      argv: [claims, ...files],
      execArgv: [
        // Less time for collecting garbage, for memory that is there.
        '--max-semi-space-size=64',
        '--min-semi-space-size=32',
        '--single-threaded-gc',
        '--test-timeout=240000',
      ],
    })
    let kept: TestEvent[] = []
    let since = performance.now()
    for await (const event of events) {
      const { name = '', nesting } = event.data
      if (this.#files.includes(name)) {
        if (event.type !== 'test:pass') continue
        this.#seconds.set(name, (performance.now() - since) / 1_000)
        since = performance.now()
        for (const one of kept) this.#shown.write(one)
        kept = []
      } else if (event.type !== 'test:diagnostic' || nesting !== 0) {
        this.#count(event)
        kept.push(event)
      }
    }
    for (const one of kept) this.#shown.write(one)
  }

  #count({ type, data }: TestEvent): void {
    if (type === 'test:fail') this.#counts.failed += 1
    if (type !== 'test:pass' || data.details?.type === 'suite') return
    if (data.skip) this.#counts.skipped += 1
    else this.#counts.passed += 1
  }

  #summarize(): void {
    console.log('\nSeconds by file:')
    for (const [file, taken] of [...this.#seconds].sort(([, a], [, b]) => b - a))
      console.log(`${taken.toFixed(1).padStart(7)}  ${file}`)
    const { passed, failed, skipped } = this.#counts
    console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped.`)
    for (const file of this.#files)
      if (!this.#seconds.has(file)) console.error(`${file} was not run to its end.`)
  }
}
