/** npm start: builds what must be built, then serves. */

import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { buildWeb } from './build-web.ts'

enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/basestation'))
await buildWeb()
// npm runs this in a shell, and a SIGTERM to npm ends that shell alone. Whoever is left without it was told to stop.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
}, 250).unref()
process.argv.splice(2, 0, 'serve')
await import('../src/cli/basestation.ts')
