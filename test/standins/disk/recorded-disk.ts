/**
 * What a process wrote to its files, as the recorder noted it, and what would be left of it after a power loss: all that
 * was synced, and of the rest whatever the disk happened to have written.
 */

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const [opened, written, synced, truncated, removed] = [1, 2, 3, 4, 5]
const headBytes = 32
/** Disks write whole sectors; of a larger write, any of them may be missing. */
const sector = 512

type Operation = { kind: number; path: string; at: number; bytes: Buffer }

/** Undefined where there is no compiler. */
export function compileRecorder(folder: string): string | undefined {
  const library = join(folder, 'recorder.so')
  const source = join(import.meta.dirname, 'recorder.c')
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl', '-lpthread'])
  return status === 0 ? library : undefined
}

export class RecordedDisk {
  readonly #operations: readonly Operation[]

  constructor(record: string) {
    this.#operations = [...operationsOf(readFileSync(record))]
  }

  get length(): number {
    return this.#operations.length
  }

  /** What had been written to a file by then, whether it was synced or not. */
  contentsAt(moment: number, name: string): string {
    const parts = this.#operations
      .slice(0, moment)
      .filter(({ kind, path }) => kind === written && basename(path) === name)
    return parts.map(({ bytes }) => bytes.toString()).join('')
  }

  /** Writes into a folder what is left after the power failed at that moment. `random`: below 1. */
  leave(folder: string, moment: number, random: () => number): void {
    const done = this.#operations.slice(0, moment)
    const covered = new Map<string, number>()
    for (const { kind, path, at } of done)
      if (kind === synced) covered.set(path, Math.max(at, covered.get(path) ?? 0))
    /** Disks differ in how much they have written by themselves. */
    const luck = random()
    const images = new Map<string, Image>()
    for (const [index, { kind, path, at, bytes }] of done.entries()) {
      // File systems keep changes of their directories in order.
      if (kind === removed) {
        images.delete(path)
        continue
      }
      let image = images.get(path)
      if (!image) {
        image = new Image()
        images.set(path, image)
      }
      const isSafe = index < (covered.get(path) ?? 0)
      if (kind === truncated && (isSafe || random() < luck)) image.truncate(at)
      if (kind !== written) continue
      if (isSafe) image.write(at, bytes)
      else
        for (let begin = 0; begin < bytes.length; begin += sector)
          if (random() < luck) image.write(at + begin, bytes.subarray(begin, begin + sector))
    }
    for (const [path, image] of images) writeFileSync(join(folder, basename(path)), image.bytes)
  }
}

class Image {
  #content = Buffer.alloc(1 << 20)
  #size = 0

  get bytes(): Buffer {
    return this.#content.subarray(0, this.#size)
  }

  write(at: number, bytes: Buffer): void {
    const end = at + bytes.length
    if (end > this.#content.length) {
      const larger = Buffer.alloc(Math.max(end, this.#content.length * 2))
      this.#content.copy(larger)
      this.#content = larger
    }
    bytes.copy(this.#content, at)
    this.#size = Math.max(this.#size, end)
  }

  truncate(size: number): void {
    this.#content.fill(0, Math.min(size, this.#size))
    this.#size = size
  }
}

function* operationsOf(record: Buffer): Generator<Operation> {
  const paths = new Map<number, string>()
  const number = (at: number) => Number(record.readBigInt64LE(at))
  for (let head = 0; head + headBytes <= record.length; ) {
    const [kind, file, at, length] = [0, 8, 16, 24].map(offset => number(head + offset)) as [
      number,
      number,
      number,
      number,
    ]
    const bytes = record.subarray(head + headBytes, head + headBytes + length)
    // The process was killed while it wrote this one.
    if (bytes.length < length) return
    if (kind === opened) paths.set(file, bytes.toString())
    yield { kind, path: kind === removed ? bytes.toString() : paths.get(file)!, at, bytes }
    head += headBytes + length
  }
}
