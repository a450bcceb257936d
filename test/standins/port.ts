/** A port to listen on, for programs that must know it beforehand. */

import { createServer } from 'node:net'

/** Below those that the system gives to outgoing connections: one of them could take it before we do. */
const [lowest, highest] = [10_000, 32_000]

export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
