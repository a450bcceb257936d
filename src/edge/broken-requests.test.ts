import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { answerBrokenRequest } from './broken-requests.ts'

test('a client that took too long and never hangs up keeps no socket', { timeout: 5_000 }, async () => {
  // As in Node's own server: the other side may go on after we have ended ours.
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const [socket] = (await once(server, 'connection')) as [Socket]
  let answer = ''
  client.on('data', chunk => {
    answer += chunk
  })
  const ended = once(client, 'end')
  const closed = once(socket, 'close')
  answerBrokenRequest(
    Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
    socket,
    '/docs/errors',
  )
  await ended
  await closed
  assert.match(answer, /^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/)
  client.destroy()
  server.close()
})
