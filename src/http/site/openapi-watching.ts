/** Health and metrics, for the OpenAPI document. They are at the origin, and need no key. */

const answer = (description: string, content: object) => ({ description, content })
const status = (word: string) => ({
  'application/json': { schema: { type: 'object', properties: { status: { const: word } } } },
})
const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }
const atOrigin = { servers: [{ url: '/', description: 'The origin' }] }
const about = { tags: ['Watching'], security: [] }

export const watchingPaths = {
  '/healthz': {
    ...atOrigin,
    get: {
      ...about,
      operationId: 'health',
      summary: 'The process is alive',
      responses: { '200': answer('It is.', status('ok')) },
    },
  },
  '/readyz': {
    ...atOrigin,
    get: {
      ...about,
      operationId: 'ready',
      summary: 'Requests can be taken: storage can be written to',
      responses: {
        '200': answer('They can.', status('ready')),
        '503': answer('`storage_unavailable`, `shutting_down`', problem),
      },
    },
  },
  '/metrics': {
    ...atOrigin,
    get: {
      ...about,
      operationId: 'metrics',
      summary: 'Metrics for Prometheus; with METRICS_TOKEN set, only for those who send it',
      security: [{}, { metrics: [] }],
      responses: {
        '200': answer('Found.', { 'text/plain': { schema: { type: 'string' } } }),
        '401': answer('`missing_key`', problem),
      },
    },
  },
}

export const metricsScheme = { type: 'http', scheme: 'bearer', description: 'The value of METRICS_TOKEN.' }
