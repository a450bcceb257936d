/** The library that speaks WhatsApp's protocol. It is optional: loaded when the first WhatsApp device is opened. */

import type * as Baileys from 'baileys'
import { patchLibsignal } from './patch-libsignal.ts'
import { quietLibsignal } from './quiet-libsignal.ts'

export type Library = typeof Baileys
export type Socket = ReturnType<typeof Baileys.makeWASocket>

/** It is not installed: whoever does not want it leaves optional packages out. */
export class LibraryMissing extends Error {}

let loading: Promise<Library> | undefined

export function loadLibrary(): Promise<Library> {
  loading ??= load()
  return loading
}

async function load(): Promise<Library> {
  // Before it is loaded: its dependency prints session keys to the console, and loses messages.
  quietLibsignal()
  try {
    patchLibsignal()
    return await import('baileys')
  } catch (error) {
    loading = undefined
    throw new LibraryMissing('WhatsApp needs the optional package baileys: npm install', { cause: error })
  }
}
