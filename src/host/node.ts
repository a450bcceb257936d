/** What this process is called among the gateways of one database, and which of the others have ended. */

import { randomUUID } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Where process ids mean the same: a machine, and on Linux the container on it. */
const place = [hostname(), processNamespace()].join(':')
export const nodeName = [place, process.pid, randomUUID()].join('/')

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
  } catch {
    return ''
  }
}

/** A node of this place whose process is gone, or whose process id is now ours, has ended for certain. */
export function hasEnded(node: string): boolean {
  const [itsPlace, pid] = node.split('/')
  if (itsPlace !== place || node === nodeName) return false
  if (Number(pid) === process.pid) return true
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH'
  }
}
