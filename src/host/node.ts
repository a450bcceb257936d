/** What this process is called among the gateways of one database, and which of the others have ended. */

import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Where process ids mean the same: a machine since it was started, and on Linux the container on it. */
const boot = bootId()
const place = [hostname(), processNamespace(), boot].join(':')
export const nodeName = [place, process.pid, randomUUID()].join('/')

/** Machines may have the same name; none has the same id. Empty where there is none. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

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
  // Without an id of the machine, nothing is certain.
  if (boot === '' || itsPlace !== place || node === nodeName) return false
  if (Number(pid) === process.pid) return true
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH'
  }
}
