/** Keeps files from filling the disk: the database needs room to go on. */

import { mkdir, statfs } from 'node:fs/promises'
import { NoRoom } from '../../core/inbox/no-room.ts'

export class DiskRoom {
  readonly #folder: string
  readonly #reserve: number

  /** `reserve`: so many bytes stay free. */
  constructor(folder: string, reserve: number) {
    this.#folder = folder
    this.#reserve = reserve
  }

  /** Throws when a file of so many bytes would leave less than the reserve. */
  async require(bytes: number): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const { bavail, bsize } = await statfs(this.#folder)
    if (bavail * bsize - bytes >= this.#reserve) return
    throw new NoRoom(`less than ${Math.round(this.#reserve / 1_000_000)} MB of disk space would be left`)
  }
}
