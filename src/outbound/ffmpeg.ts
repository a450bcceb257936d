/** Runs ffmpeg on files that strangers made: one at a time, and with little memory, time and picture. */

import { spawn } from 'node:child_process'
import { Limiter } from '../core/lib/limiter.ts'
import { limits } from '../core/limits.ts'

const { conversionMemory, conversionSeconds, conversionPixels } = limits

/** Two at once would take twice as much, and nobody is in that much of a hurry. */
const alone = new Limiter(1)

/** The shell sets the limits and becomes the program. Where a limit cannot be set, the others still hold. */
const limited = [
  `ulimit -v ${conversionMemory.value / 1_024} 2>/dev/null`,
  `ulimit -t ${conversionSeconds.value} 2>/dev/null`,
  'exec "$0" "$@"',
].join('; ')

/** What comes before the input, whatever is done with it. `from`: how to read it, which a stranger must not choose. */
export const readCarefully = (from: string, input: string): readonly string[] => [
  ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-y', '-threads', '1'],
  // A picture of a few bytes may say that it is as wide as a street.
  ...['-max_pixels', String(conversionPixels.value)],
  // Nothing but this one file is opened, whatever is written in it.
  ...['-protocol_whitelist', 'file', '-f', from, '-i', `file:${input}`],
]

/** What it wrote to its output, of which no more than `most` bytes are kept. */
export function runFfmpeg(
  program: string,
  args: readonly string[],
  timeoutMs = conversionSeconds.value * 1_000,
  most = 1_000_000,
): Promise<Buffer> {
  return alone.run(() => run(program, args, timeoutMs, most))
}

function run(program: string, args: readonly string[], timeout: number, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', limited, program, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout,
      killSignal: 'SIGKILL',
    })
    let said = ''
    const written: Buffer[] = []
    let count = 0
    child.stdout.on('data', (chunk: Buffer) => {
      count += chunk.length
      if (count <= most) written.push(chunk)
    })
    child.stderr.on('data', chunk => {
      said = (said + chunk).slice(-500)
    })
    child.on('error', reject)
    child.on('close', (code, signal) =>
      code === 0
        ? resolve(Buffer.concat(written))
        : reject(new Error(`${program} ended with ${code ?? signal}: ${said.trim()}`)),
    )
  })
}

/** Whether the program is there, asked once at the start. */
export async function isInstalled(program: string): Promise<boolean> {
  try {
    await run(program, ['-version'], 10_000, 0)
    return true
  } catch {
    return false
  }
}
