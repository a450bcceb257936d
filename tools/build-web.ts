/** Builds the dashboard if it is missing, or older than what it is made of. */

import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const built = join(root, 'web/dist')
const mark = join(built, 'made-from.txt')

/** Changes when anything does that the dashboard is made of. */
function fingerprint(): string {
  const files = globSync(['web/{src,public}/**/*.*', 'web/*.*', 'sdk/src/**/*.ts', 'package-lock.json'], {
    cwd: root,
  })
  const hash = createHash('sha256')
  for (const file of files.sort())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

const isFresh = (made: string) => existsSync(mark) && readFileSync(mark, 'utf8') === made

/** Says what it does, because somebody waits. */
export async function buildWeb(): Promise<void> {
  const made = fingerprint()
  if (isFresh(made)) return
  const started = performance.now()
  process.stderr.write('Building the dashboard…')
  const { build } = await import('vite')
  await build({ configFile: join(root, 'web/vite.config.ts'), logLevel: 'error' })
  writeFileSync(mark, made)
  process.stderr.write(` done in ${((performance.now() - started) / 1_000).toFixed(1)} s.\n`)
}

if (import.meta.main) await buildWeb()
