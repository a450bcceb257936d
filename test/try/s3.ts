/**
 * npm run try:s3: received files in a bucket of a real S3-compatible server, which checks signatures. It is installed into
 * a temporary folder: it brings along more packages than all the rest of the tests.
 */

import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../standins/port.ts'

const folder = mkdtempSync(join(tmpdir(), 'basestation-s3-'))
const root = join(import.meta.dirname, '../..')
try {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  mkdirSync(join(folder, 'buckets'))
  const installed = spawnSync('npm', ['install', '--no-audit', '--no-fund', '@20minutes/s3rver@5.0.0'], {
    cwd: folder,
    stdio: 'inherit',
  })
  if (installed.status !== 0) throw new Error('the server could not be installed')
  const port = await freePort()
  const program = `
    import S3rver from '@20minutes/s3rver'
    const server = new S3rver({
      address: '127.0.0.1', port: ${port}, silent: true, directory: ${JSON.stringify(join(folder, 'buckets'))},
      configureBuckets: [{ name: 'received' }],
    })
    await server.run()
    console.log('listening')`
  writeFileSync(join(folder, 'server.js'), program)
  const server = spawn(process.execPath, ['server.js'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((resolve, reject) => {
    server.stdout.once('data', resolve)
    server.once('exit', code => reject(new Error(`the server ended with ${code}`)))
  })
  const { status } = spawnSync(
    process.execPath,
    ['--test', '--test-force-exit', 'test/media-files.test.ts'],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, TEST_S3_ENDPOINT: `http://127.0.0.1:${port}` },
    },
  )
  server.kill()
  process.exitCode = status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
