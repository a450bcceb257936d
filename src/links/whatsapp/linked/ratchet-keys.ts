/**
 * The keys of each conversation. The library moves them on when it encrypts and decrypts; here that is made safe against a
 * crash, and against the two getting in each other's way.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import type { SignalDataSet, SignalRepositoryWithLIDStore, SocketConfig } from 'baileys'
import type { Arrivals } from './arrivals.ts'
import { externalIdOf, type Kept } from './from-whatsapp.ts'
import { inboxType, seenType } from './session.ts'

type Make = SocketConfig['makeSignalRepository']
type Keys = {
  set(data: SignalDataSet): Promise<void>
  get(type: string, ids: string[]): Promise<Record<string, unknown>>
  transaction<T>(work: () => Promise<T>, key: string): Promise<T>
}

/** Padding and nothing else: an empty message, which the library acknowledges like any other. */
const nothing = Uint8Array.of(1)

/**
 * - The library tells the server that it has a message before it tells us. So the plain text is kept in the very commit that
 *   moves the keys on: a crash leaves both or neither.
 * - A message that comes again after that commit cannot be decrypted again. It is acknowledged, instead of asking its
 *   sender to write it once more.
 * - The library encrypts inside a transaction around all of sending, which commits after the message has left: a crash
 *   between would use the same key for another message, and a message decrypted meanwhile would be undone. So each step
 *   has a transaction of its own, one at a time, and is on disk before its ciphertext leaves.
 */
export const safeRatchetKeys =
  (make: Make, alone: OneAtATime, arrivals: Arrivals, onKept: () => void): Make =>
  (auth, logger, toLid) => {
    const repository = make(auth, logger, toLid)
    const keys = auth.keys as unknown as Keys
    const step = <Given extends unknown[], T>(work: (...given: Given) => Promise<T>) => {
      return (...given: Given) => alone(() => keys.transaction(() => work(...given), 'conversations'))
    }
    const decrypt = repository.decryptMessage.bind(repository)
    const guarded: Partial<SignalRepositoryWithLIDStore> = {
      encryptMessage: step(repository.encryptMessage.bind(repository)),
      injectE2ESession: step(repository.injectE2ESession.bind(repository)),
      deleteSession: step(repository.deleteSession.bind(repository)),
      migrateSession: step(repository.migrateSession.bind(repository)),
      decryptMessage: async given => {
        const arrival = arrivals.of(given.ciphertext)
        if (!arrival) return await step(decrypt)(given)
        const { attrs, place } = arrival
        const id = externalIdOf(attrs)
        const isSeen = async () => (await keys.get(seenType, [id]))[id] !== undefined
        const work = step(async () => {
          const bytes = await decrypt(given)
          const kept: Kept = { attrs, plain: Buffer.from(bytes).toString('base64') }
          await keys.set({ [inboxType]: { [place]: kept }, [seenType]: { [id]: 1 } } as SignalDataSet)
          return bytes
        })
        try {
          // Trying what was used up would go through all the sessions there ever were.
          return (await isSeen()) ? nothing : await work()
        } catch (error) {
          if (await isSeen()) return nothing
          throw error
        } finally {
          arrivals.settled(arrival)
          onKept()
        }
      },
    }
    return Object.assign(repository, guarded)
  }

export type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Runs work one after the other, and outside of whatever transaction the caller is in. One for each number, not for each
 * connection: what is left of the last connection must not get in the way of the next.
 */
export function oneAtATime(): OneAtATime {
  const outside = AsyncLocalStorage.snapshot()
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const mine = outside(() => last.then(work, work))
    last = mine
    return mine
  }
}
