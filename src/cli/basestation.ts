/** The program itself: its arguments and settings come from the process, and from nowhere else. */

import { main } from './main.ts'

// Whatever is written, database and backups above all, is for this user only.
process.umask(0o077)
process.exitCode = await main(process.argv.slice(2), {
  environment: process.env,
  write: text => process.stdout.write(text),
  complain: text => console.error(text),
})
