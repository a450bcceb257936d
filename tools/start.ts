/** npm start: builds what must be built, then serves. */

import { buildWeb } from './build-web.ts'

await buildWeb()
process.argv.splice(2, 0, 'serve')
await import('../src/cli/basestation.ts')
