/** Makes files playable that WhatsApp cannot play, with ffmpeg where it is installed. */

import { spawn } from 'node:child_process'
import { rm, stat } from 'node:fs/promises'
import type { Log } from '../core/log.ts'
import type { Downloaded } from './download.ts'
import type { MediaKind } from './media-kind.ts'

/** A film that was a moving picture is shown as one. */
export type Converted = Downloaded & { loops?: boolean }

export type ConvertOptions = {
  /** The program; undefined: nothing is converted. */
  ffmpeg: string | undefined
  /** Most bytes that may come out. */
  most: number
  timeoutMs?: number
  log: Log
}

const evenSides = ['-vf', 'scale=trunc(iw/2)*2:trunc(ih/2)*2', '-pix_fmt', 'yuv420p']
const film = ['-c:v', 'libx264', '-preset', 'veryfast', ...evenSides, '-movflags', '+faststart']
const mp4: MediaKind = { class: 'video', extension: 'mp4', mime: 'video/mp4' }
const ogg: MediaKind = { class: 'audio', extension: 'ogg', mime: 'audio/ogg' }

type Recipe = { from: string; to: MediaKind; how: readonly string[]; loops?: true }

/** `from` names how the file is to be read: what a stranger wrote into it must not choose that. */
const recipes: Readonly<Record<string, Recipe>> = {
  gif: { from: 'gif', to: mp4, how: [...film, '-an'], loops: true },
  webm: { from: 'matroska', to: mp4, how: [...film, '-c:a', 'aac'] },
  wav: { from: 'wav', to: ogg, how: ['-c:a', 'libopus', '-b:a', '64k', '-ac', '1'] },
}

const usualMs = 120_000

/** The file itself when it need not, or cannot, be converted: then it goes out as it is. */
export async function converted(file: Downloaded, options: ConvertOptions): Promise<Converted> {
  const recipe = recipes[file.extension]
  if (!recipe || options.ffmpeg === undefined) return file
  const path = `${file.path}.${recipe.to.extension}`
  try {
    await run(
      options.ffmpeg,
      argumentsFor(recipe, file.path, path, options.most),
      options.timeoutMs ?? usualMs,
    )
    const { size } = await stat(path)
    // A film that was cut off at the limit is not the one that was sent.
    if (size === 0 || size >= options.most) throw new Error(`it came out with ${size} bytes`)
    await rm(file.path, { force: true })
    const filename = file.filename.replace(/\.\w+$/, '')
    return { ...recipe.to, path, size, filename, ...(recipe.loops && { loops: true }) }
  } catch (error) {
    await rm(path, { force: true })
    options.log.warn(
      { err: error, kind: file.extension },
      'a file could not be converted; it goes out as it is',
    )
    return file
  }
}

const argumentsFor = ({ from, how }: Recipe, input: string, output: string, most: number) => [
  ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-y', '-threads', '1'],
  // Nothing but this one file is opened, whatever is written in it.
  ...['-protocol_whitelist', 'file', '-f', from, '-i', `file:${input}`],
  ...['-map_metadata', '-1', ...how, '-fs', String(most), `file:${output}`],
]

function run(program: string, args: readonly string[], timeout: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout,
      killSignal: 'SIGKILL',
    })
    let said = ''
    child.stderr.on('data', chunk => {
      said = (said + chunk).slice(-500)
    })
    child.on('error', reject)
    child.on('close', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`${program} ended with ${code ?? signal}: ${said.trim()}`)),
    )
  })
}

/** Whether the program is there, asked once at the start. */
export async function isInstalled(program: string): Promise<boolean> {
  try {
    await run(program, ['-version'], 10_000)
    return true
  } catch {
    return false
  }
}
