import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { StreamAnswer } from './stream-answer.ts'
import { Streams } from './streams.ts'

test('whoever hangs up before the stream begins gives its place back', async () => {
  const streams = new Streams(1)
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1' })
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const [request, response] = await once(server, 'request')
  const leave = streams.take('key')
  assert.throws(() => streams.take('key'), { code: 'too_many_streams' })
  const closed = once(response, 'close')
  client.destroy()
  await closed
  assert.ok(request.socket.destroyed)
  let isStopped = false
  const answer = new StreamAnswer('text/event-stream', async function* () {})
  answer.whenEnded(() => {
    isStopped = true
  })
  streams.add(answer, response, leave)
  assert.ok(isStopped)
  assert.doesNotThrow(() => streams.take('key'))
  server.close()
})
