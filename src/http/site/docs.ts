/** The OpenAPI document and the reference page, both without a key and without any network but ours. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { nothingHere } from '../server/not-found.ts'
import { errorsPage } from './errors-page.ts'

const assets = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

const files: Record<string, { type: string; read: () => Buffer | string }> = {
  'swagger-ui.css': { type: 'text/css', read: () => readFileSync(join(assets, 'swagger-ui.css')) },
  'swagger-ui-bundle.js': {
    type: 'text/javascript',
    read: () => readFileSync(join(assets, 'swagger-ui-bundle.js')),
  },
  'errors.css': { type: 'text/css', read: () => readFileSync(new URL('./docs/errors.css', import.meta.url)) },
  'reference.css': {
    type: 'text/css',
    read: () => readFileSync(new URL('./docs/reference.css', import.meta.url)),
  },
  'reference.js': {
    type: 'text/javascript',
    read: () => readFileSync(new URL('./docs/reference.js', import.meta.url)),
  },
}

/** Only what the gateway itself serves may run or be loaded; Swagger UI sets styles and icons inline. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const reference = readFileSync(new URL('./docs/reference.html', import.meta.url), 'utf8')

export function registerDocs(app: FastifyInstance, document: object, bases: readonly string[]): void {
  const text = JSON.stringify(document)
  for (const base of ['', ...bases]) {
    app.get(`${base}/openapi.json`, (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(text),
    )
    // Its links are relative, so it must not be shown under a name with a slash at its end.
    app.get(`${base}/docs`, (request, reply) =>
      /^[^?]*\/(\?|$)/.test(request.url) ? reply.redirect('../docs', 308) : show(reply, reference),
    )
    app.get(`${base}/docs/assets/:file`, serveAsset)
  }
  const errors = errorsPage()
  app.get('/docs/errors', (_request, reply) => show(reply, errors))
}

const loaded = new Map<string, Buffer | string>()

function serveAsset(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { file } = request.params as { file: string }
  const asset = Object.hasOwn(files, file) ? files[file] : undefined
  if (!asset) throw nothingHere()
  const content = loaded.get(file) ?? asset.read()
  loaded.set(file, content)
  return reply
    .type(`${asset.type}; charset=utf-8`)
    .header('cache-control', 'public, max-age=3600')
    .send(content)
}

const show = (reply: FastifyReply, page: string) =>
  reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policy)
    .header('referrer-policy', 'no-referrer')
    .send(page)
