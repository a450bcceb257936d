/** The OpenAPI document, made from the routes and the schemas that check them. */

import { apiPaths } from '../../core/environment.ts'
import type { ProblemCode } from '../../core/problem.ts'
import { statusOf } from '../../edge/problems.ts'
import { mayBeLeftOut } from '../../edge/validation.ts'
import type { Route } from '../api/route.ts'
import { ProblemResponse } from '../api/shapes.ts'
import { NamedSchemas, reference } from './named-schemas.ts'
import { type Document, describeEvents } from './openapi-events.ts'
import { metricsScheme, watchingPaths } from './openapi-watching.ts'
import { postedToWebhooks } from './openapi-webhooks.ts'

/** What can happen on every route. */
const everywhere: readonly ProblemCode[] = [
  'invalid_request',
  'unknown_field',
  'missing_key',
  'invalid_key',
  'expired_key',
  'revoked_key',
  'wrong_environment',
  'insufficient_scope',
  'ip_not_allowed',
  'rate_limited',
  'internal',
  'storage_unavailable',
  'shutting_down',
]

type Json = Record<string, unknown>
type Titled = { title?: string; properties?: Record<string, Json>; required?: readonly string[] }

export function openApi(routes: readonly Route[], version: string): Document {
  const components = new NamedSchemas()
  components.collect(ProblemResponse)
  const shared = new SharedResponses()
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    for (const schema of [route.body, route.response])
      if (typeof schema === 'object') components.collect(schema)
    route.paths.forEach((path, index) => {
      const at = path.replace(/:(\w+)/g, '{$1}')
      paths[at] ??= {}
      paths[at][route.method.toLowerCase()] = operation(route, index, shared)
    })
  }
  return describeEvents({
    openapi: '3.1.0',
    info: {
      title: 'Basestation',
      version,
      summary: 'Send and receive SMS and WhatsApp messages through your own devices.',
      description:
        'Every request carries `Authorization: Bearer <API_KEY>`. Answers that are not 2xx are `application/problem+json`; decide by `code`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: apiPaths.production, description: 'Production' },
      { url: apiPaths.staging, description: 'Staging: keys and devices of its own, and simulated phones' },
    ],
    security: [{ key: [] }],
    tags: [...new Set(routes.map(({ group }) => group)), 'Watching', 'Alternate paths'].map(name => ({
      name,
      ...(name === 'Alternate paths' && { description: 'The same operations under their second names.' }),
    })),
    paths: { ...paths, ...watchingPaths },
    webhooks: postedToWebhooks,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key, bs_live_… or bs_test_….' },
        metrics: metricsScheme,
      },
      schemas: components.all(),
      headers,
      responses: shared.all(),
    },
  })
}

function operation(route: Route, index: number, shared: SharedResponses): Json {
  return {
    operationId: index === 0 ? route.operation : `${route.operation}Alternate${index > 1 ? index : ''}`,
    summary: index === 0 ? route.summary : `${route.summary} (alternate path)`,
    tags: [index === 0 ? route.group : 'Alternate paths'],
    description: `Needs the scope \`${route.scope}\`.`,
    ...parameters(route),
    ...(route.body && {
      requestBody: {
        required: !mayBeLeftOut(route.body),
        content: { 'application/json': { schema: reference(route.body) } },
      },
    }),
    responses: {
      [route.success ?? 200]: {
        description: route.method === 'GET' ? 'Found.' : 'Done, and on disk.',
        headers: {
          ...onEveryAnswer,
          ...(mayRepeat(route) && {
            'Idempotent-Replayed': header('It is the first answer, once more.', 'string'),
          }),
          ...(route.response === 'file' && {
            'Content-Disposition': header('Always an attachment, with its name.', 'string'),
          }),
        },
        content:
          route.response === 'file'
            ? { '*/*': { schema: { description: 'The file, under the type its sender gave it.' } } }
            : {
                [route.stream ?? 'application/json']: {
                  schema: reference(route.response),
                },
              },
      },
      ...problems(route, shared),
    },
  }
}

const header = (description: string, type: string): Json => ({ description, schema: { type } })

const headers = {
  'X-Request-Id': header('Names this request in logs and error reports.', 'string'),
  'X-RateLimit-Limit': header('Requests a minute.', 'integer'),
  'X-RateLimit-Remaining': header('Requests left in this window.', 'integer'),
  'X-RateLimit-Reset': header('When the window ends, in Unix seconds.', 'integer'),
}

/** Also on errors; the limits only where the key is known. */
const onEveryAnswer = Object.fromEntries(
  Object.keys(headers).map(name => [name, { $ref: `#/components/headers/${name}` }]),
)

/** Most routes can fail in the same ways: each way is described once. */
class SharedResponses {
  readonly #names = new Map<string, string>()

  reference(status: number, response: Json): Json {
    const text = JSON.stringify(response)
    const count = [...this.#names.values()].filter(name => name.startsWith(`Problem${status}`)).length
    const name = this.#names.get(text) ?? `Problem${status}${count === 0 ? '' : `_${count + 1}`}`
    this.#names.set(text, name)
    return { $ref: `#/components/responses/${name}` }
  }

  all(): Record<string, Json> {
    return Object.fromEntries([...this.#names].map(([text, name]) => [name, JSON.parse(text)]))
  }
}

const mayRepeat = ({ method }: Route) => method === 'POST'

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes it safe to repeat the request: within 24 hours the same request under the same key gets the first answer, with `Idempotent-Replayed: true`, and has no second effect.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

function parameters(route: Route): Json {
  const inPath = [...route.paths[0]!.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', ...(/^(?!event_).*_id$/.test(name!) && { format: 'uuid' }) },
  }))
  const inQuery = Object.entries((route.query as Titled | undefined)?.properties ?? {}).map(
    ([name, property]) => {
      const { description, ...schema } = property
      return { name, in: 'query', required: false, description, schema }
    },
  )
  const all = [...inPath, ...inQuery, ...(mayRepeat(route) ? [idempotencyKey] : [])]
  return all.length > 0 ? { parameters: all } : {}
}

function problems(route: Route, shared: SharedResponses): Json {
  const repeated: ProblemCode[] = mayRepeat(route)
    ? ['idempotency_in_progress', 'idempotency_key_reused']
    : []
  const byStatus = Map.groupBy(new Set([...everywhere, ...route.problems, ...repeated]), statusOf)
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => [
        String(status),
        shared.reference(status, {
          description: codes.map(code => `\`${code}\``).join(', '),
          headers: {
            ...onEveryAnswer,
            ...(status === 401 && { 'WWW-Authenticate': header('Always Bearer.', 'string') }),
            ...((status === 429 || status === 503) && {
              'Retry-After': header('Seconds to wait before trying again.', 'integer'),
            }),
          },
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        }),
      ]),
  )
}
