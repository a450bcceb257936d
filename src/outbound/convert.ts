/** Makes files playable that WhatsApp cannot play, with ffmpeg where it is installed. */

import { rm, stat } from 'node:fs/promises'
import type { Log } from '../core/lib/log.ts'
import { limits } from '../core/limits.ts'
import type { Downloaded } from './download.ts'
import { readCarefully, runFfmpeg } from './ffmpeg.ts'
import type { MediaKind } from './media-kind.ts'

/** A film that was a moving picture is shown as one. The thumbnail is shown until the rest is there. */
export type Converted = Downloaded & { loops?: boolean; thumbnail?: Buffer; seconds?: number }

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
  // WhatsApp plays Opus, and nothing else that is in an OGG file.
  oga: { from: 'ogg', to: ogg, how: ['-vn', '-c:a', 'libopus', '-b:a', '64k', '-ac', '1'] },
  wav: { from: 'wav', to: ogg, how: ['-c:a', 'libopus', '-b:a', '64k', '-ac', '1'] },
}

/** The file itself when it need not, or cannot, be converted: then it goes out as it is. */
export async function converted(file: Downloaded, options: ConvertOptions): Promise<Converted> {
  const recipe = recipes[file.extension]
  if (!recipe || options.ffmpeg === undefined) return file
  const path = `${file.path}.${recipe.to.extension}`
  try {
    const output = ['-map_metadata', '-1', ...recipe.how, '-fs', String(options.most), `file:${path}`]
    await runFfmpeg(options.ffmpeg, [...readCarefully(recipe.from, file.path), ...output], options.timeoutMs)
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

/** How each kind of picture, film and sound is read. */
const readAs: Readonly<Record<string, string>> = {
  jpg: 'jpeg_pipe',
  png: 'png_pipe',
  webp: 'webp_pipe',
  mp4: 'mov',
  mp3: 'mp3',
  ogg: 'ogg',
}
const describeMs = 10_000
const small = ['-frames:v', '1', '-vf', 'scale=72:-2', '-f', 'mjpeg', 'pipe:1']
const walkedThrough = ['-vn', '-c', 'copy', '-progress', 'pipe:1', '-f', 'null', '-']

/**
 * With a thumbnail, or with how long it plays. Found out here, within limits: the library for WhatsApp would look into
 * any file itself, without any.
 */
export async function described(file: Converted, options: ConvertOptions): Promise<Converted> {
  const from = readAs[file.extension]
  if (from === undefined || options.ffmpeg === undefined) return file
  const isSound = file.class === 'audio'
  const args = [...readCarefully(from, file.path), ...(isSound ? walkedThrough : small)]
  try {
    // Nobody waits long for a small picture.
    const timeoutMs = Math.min(options.timeoutMs ?? describeMs, describeMs)
    const written = await runFfmpeg(options.ffmpeg, args, timeoutMs, limits.thumbnail.value)
    if (isSound) return { ...file, seconds: secondsIn(written.toString()) }
    return written.length === 0 ? file : { ...file, thumbnail: written }
  } catch (error) {
    options.log.debug({ err: error, kind: file.extension }, 'a file could not be described')
    return file
  }
}

/** The last of what ffmpeg said about how far it had come. */
function secondsIn(progress: string): number {
  const last = [...progress.matchAll(/^out_time_us=(\d+)$/gm)].at(-1)?.[1]
  return Math.round(Number(last ?? 0) / 1_000_000)
}
