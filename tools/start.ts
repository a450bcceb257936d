/** npm start: builds what must be built, then serves. */

import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { buildWeb } from './build-web.ts'

enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/basestation'))
await buildWeb()
process.argv.splice(2, 0, 'serve')
await import('../src/cli/basestation.ts')
