/** A load generator on plain sockets: it shares the machine with the server, so it must cost as little as possible. */

import { connect, type Socket } from 'node:net'

export type Load = {
  host: string
  port: number
  path: string
  key: string
  connections: number
  /** The body of the n-th request. */
  body: (n: number) => string
  requests: number
}

export type LoadResult = {
  seconds: number
  requestsPerSecond: number
  failed: number
  p50: number
  p99: number
}

/** Sends a fixed number of requests, each connection its next as soon as the last was answered. */
export async function load({
  host,
  port,
  path,
  key,
  connections,
  body,
  requests,
}: Load): Promise<LoadResult> {
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(host, port)))
  const times: number[] = []
  let next = 0
  let failed = 0
  const started = performance.now()
  await Promise.all(
    sockets.map(
      socket =>
        new Promise<void>((resolve, reject) => {
          let sentAt = 0
          let pending = ''
          const send = () => {
            if (next >= requests) {
              resolve()
              return
            }
            const text = body(next)
            next += 1
            sentAt = performance.now()
            socket.write(`${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
          }
          socket.on('data', chunk => {
            pending += chunk.toString('latin1')
            const headEnd = pending.indexOf('\r\n\r\n')
            if (headEnd < 0) return
            const length = Number(/content-length: (\d+)/i.exec(pending)?.[1] ?? 0)
            if (pending.length < headEnd + 4 + length) return
            if (!pending.startsWith('HTTP/1.1 200')) failed += 1
            times.push(performance.now() - sentAt)
            pending = ''
            send()
          })
          socket.on('error', reject)
          send()
        }),
    ),
  )
  const seconds = (performance.now() - started) / 1_000
  for (const socket of sockets) socket.destroy()
  times.sort((a, b) => a - b)
  return {
    seconds,
    requestsPerSecond: requests / seconds,
    failed,
    p50: times[Math.floor(times.length * 0.5)] ?? 0,
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
  }
}

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}
