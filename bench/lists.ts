/** Long lists: pages at both ends of them, and filtered. */

import { join } from 'node:path'
import { median, Server } from './process.ts'
import { report } from './report.ts'
import { seedBacklog, seedInbox } from './seed.ts'

/** Received messages. */
export async function inbox(folder: string): Promise<void> {
  const path = join(folder, 'inbox.db')
  const { devices, senders, start, end } = await seedInbox(path, 1_000_000)
  const server = await Server.start('durable', `sqlite:${path}`)
  const iso = (share: number) => encodeURIComponent(new Date(start + (end - start) * share).toISOString())
  const [device, sender] = [`device_id=${devices[0]}`, `from=${encodeURIComponent(senders[0]!)}`]
  const times = `since=${iso(0.25)}&until=${iso(0.75)}`
  const filters = {
    none: '',
    device,
    sender,
    'device and sender': `${device}&${sender}`,
    times,
    'device and times': `${device}&${times}`,
    'sender and times': `${sender}&${times}`,
  }
  let slowest = 0
  let steepest = 0
  for (const [name, filter] of Object.entries(filters)) {
    const { body } = await server.get(`/messages/received?${filter}`)
    const last = body.pagination.total_pages
    const pages = [1, Math.min(1_000, last), last]
    const found = pages.map(() => [] as number[])
    for (let round = 0; round < 25; round += 1)
      for (const [index, page] of pages.entries())
        found[index]!.push((await server.get(`/messages/received?${filter}&page=${page}`)).ms)
    const [first, middle, end] = found.map(median) as [number, number, number]
    slowest = Math.max(slowest, first, middle, end)
    steepest = Math.max(steepest, end / first)
    console.log(
      `        received, ${name}: ${body.pagination.total.toLocaleString('en')} messages, ms for pages ${pages.join(', ')}: ${[first, middle, end].map(ms => ms.toFixed(2)).join(', ')}`,
    )
  }
  report('received list at 1,000,000: the slowest page in ms', slowest, 5, '', true)
  report('received list at 1,000,000: last page ÷ first', steepest, 3, '', true)
  await server.stop()
}

/** Pages of sent messages, at both ends of a long list. */
export async function lists(folder: string): Promise<void> {
  const count = 1_000_000
  const path = join(folder, 'lists.db')
  const deviceId = await seedBacklog(path, count)
  const server = await Server.start('durable', `sqlite:${path}`)
  const cursor = (seq: number) => `cursor=${Buffer.from(String(seq)).toString('base64url')}`
  const filters = {
    none: '',
    device: `device_id=${deviceId}`,
    'a state': 'status=queued',
    'a rare state': 'status=failed',
    times: 'since=2020-01-01&until=2099-01-01',
    'words that are nowhere': 'contains=nothing+like+it',
  }
  let steepest = 0
  let slowest = 0
  for (const [name, filter] of Object.entries(filters)) {
    const [first, deep] = [count + 10, 1_000].map(seq => `/messages?${filter}&${cursor(seq)}`)
    // The first of its kind also compiles what it needs.
    for (const path of [first!, deep!]) await server.get(path)
    const found: [number[], number[]] = [[], []]
    for (let round = 0; round < 25; round += 1) {
      found[0].push((await server.get(first!)).ms)
      found[1].push((await server.get(deep!)).ms)
    }
    const [top, bottom] = found.map(median) as [number, number]
    steepest = Math.max(steepest, bottom / top)
    slowest = Math.max(slowest, ...found.flat())
    console.log(
      `        messages, ${name}: ms for the first and the last pages ${top.toFixed(2)}, ${bottom.toFixed(2)}`,
    )
  }
  const what = `${count.toLocaleString('en')} messages: the last page ÷ the first, at worst`
  report(what, steepest, 2, '', true)
  report('the slowest of these requests, in ms', slowest, 100, '', true)
  await server.stop()
}
