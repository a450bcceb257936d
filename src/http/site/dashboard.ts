/** The dashboard's files: built once, read when the gateway starts, served from memory. */

import { existsSync, globSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip as gzipCallback } from 'node:zlib'
import type { Awaitable } from '../../core/lib/awaitable.ts'
import type { Exchange } from '../../edge/exchange.ts'
import { nothingHere } from '../../edge/router.ts'

const gzip = promisify(gzipCallback)

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json; charset=utf-8',
}

/** Nothing but our own files, no script within the page, and nobody may frame it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const headers = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'x-frame-options': 'DENY',
}

/** Browsers heed it over https and on the machine itself; elsewhere they complain. */
const alone = { 'cross-origin-opener-policy': 'same-origin' }

type File = { type: string; bytes: Buffer; zipped: () => Promise<Buffer> }

/** By the path each is asked for under. Empty: it was not built. */
type Files = ReadonlyMap<string, File>

export type Dashboard = {
  files: Files
  publicUrl: () => string
  /** Under this name there is staging alone, and so no dashboard. */
  stagingHost: string | undefined
  /** Whether it can be read on the way. */
  isInsecure: (exchange: Exchange) => boolean
}

export function readDashboard(folder: string): Files {
  const files = new Map<string, File>()
  if (!existsSync(join(folder, 'index.html'))) return files
  for (const name of globSync('**/*.*', { cwd: folder })) {
    const type = types[extname(name)]
    if (type === undefined) continue
    const bytes = readFileSync(join(folder, name))
    let zipped: Promise<Buffer> | undefined
    files.set(`/${name}`, {
      type,
      bytes,
      // When it is first asked for, and beside everything else.
      zipped: () => {
        zipped ??= gzip(bytes, { level: 9 })
        return zipped
      },
    })
  }
  return files
}

/** Answers whatever no route takes: with a file, the page itself, or that there is nothing. */
export function dashboardAt({ files, publicUrl, stagingHost, isInsecure }: Dashboard) {
  const send = async (exchange: Exchange, file: File): Promise<Buffer> => {
    exchange.setHeaders(headers)
    exchange.header('vary', 'accept-encoding')
    exchange.type = file.type
    if (!/\bgzip\b/.test(String(exchange.headers['accept-encoding'] ?? ''))) return file.bytes
    const zipped = await file.zipped()
    exchange.header('content-encoding', 'gzip')
    return zipped
  }
  return (exchange: Exchange): Awaitable<Buffer | string> => {
    const { path } = exchange
    const isRead = exchange.method === 'GET' || exchange.method === 'HEAD'
    const file = isRead ? files.get(path) : undefined
    if (file && path !== '/index.html') {
      // Names change with contents, save for the few at the root.
      exchange.header(
        'cache-control',
        path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      )
      return send(exchange, file)
    }
    // Every other address that a browser opens is a page, which the script knows. Programs get the error they expect.
    const isPage = isRead && /\btext\/html\b/.test(exchange.headers.accept ?? '') && !isOurs(path)
    if (!isPage) return nothingHere()
    exchange.header('cache-control', 'no-cache')
    const host = exchange.headers.host?.toLowerCase().replace(/:\d+$/, '')
    if (stagingHost !== undefined && host === stagingHost.replace(/:\d+$/, ''))
      return exchange.redirect(`${publicUrl()}${path}`, 302)
    if (!isInsecure(exchange)) exchange.setHeaders(alone)
    const page = files.get('/index.html')
    if (page) return send(exchange, page)
    exchange.status = path === '/' ? 200 : 404
    exchange.setHeaders(headers)
    exchange.type = 'text/html; charset=utf-8'
    return notBuilt
  }
}

const isOurs = (path: string) => /^\/(api|staging\/api|session|mobile|docs|assets)(\/|$)/.test(path)

const notBuilt = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Basestation</title>
<h1>Basestation is running</h1>
<p>The dashboard was not built. Stop the gateway and run <code>npm start</code>, or <code>npm run build</code> once.</p>
<p>The API works: <a href="/docs">the reference</a>.</p>
</html>
`
