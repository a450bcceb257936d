/** Pretend traffic: a small shop's week, so that pages have something to show. */

import { Basestation } from '../sdk/src/index.ts'
import { hashSecret, hintOf, newSecret, scopes } from '../src/core/access/key.ts'
import type { Basestation as Gateway } from '../src/main.ts'

const texts = [
  'Your parcel is ready. Pick it up until Friday, 6 pm, at the counter.',
  'Reminder: your appointment is tomorrow at 10:30. Reply STOP to opt out.',
  'Your table for four is booked. See you on Saturday!',
  'Invoice 2026-1187 is paid. Thank you.',
  'Your code is 418 223. It is valid for five minutes.',
]
const answers = [
  'Thanks, I will come at five.',
  'Can I bring a friend?',
  'Which entrance is it?',
  'Perfect, see you then!',
]

export async function pretend(gateway: Gateway, url: string): Promise<void> {
  const { store } = gateway
  const staging = (await store.environments()).find(({ name }) => name === 'staging')!
  const secret = newSecret('staging')
  await store.addKey(
    {
      environmentId: staging.id,
      name: 'Web shop',
      scopes,
      rateLimit: null,
      allowedIps: [],
      expiresAt: null,
      createdBy: 'owner@example.org',
    },
    hashSecret(secret),
    hintOf(secret),
  )
  const api = new Basestation({ url, key: secret })
  const desk = (await api.addDevice({ kind: 'simulated', name: 'Front desk', phone: '+15550100001' })).data
  await api.addDevice({ kind: 'simulated', name: 'Back office', phone: '+15550100002', per_day: 500 })
  await api.addDevice({ kind: 'android', name: 'Pixel in the shop', phone: '+15550100003' })
  await api.addWebhook({
    url: 'https://shop.invalid/basestation',
    types: ['message.delivered', 'message.failed'],
  })
  await api.addKey({ name: 'Booking page', scopes: ['messages:send'] })
  for (let n = 0; n < 60; n += 1)
    await api.send({
      to: `+1555010${n % 9 === 4 ? `0${100 + n}1`.slice(-4).replace(/.$/, '1') : 2000 + n}`,
      message: texts[n % texts.length]!,
    })
  await api.send({ to: '+15550100001', message: 'Your order has left our warehouse.' })
  await api.send({ to: '+15550110001', message: 'Your order has left our warehouse.' })
  await api.send({
    to: '+15550102222',
    message: 'We open at nine tomorrow.',
    send_at: new Date(Date.now() + 18 * 3_600_000).toISOString(),
  })
  for (const [index, text] of answers.entries())
    await gateway.reception.receive({
      deviceId: desk.id,
      sender: `+1555010200${index}`,
      text,
      type: 'sms',
      metadata: { sim_slot: 1 },
      externalId: `pretend-${index}`,
    })
  await gateway.reception.receive({
    deviceId: desk.id,
    sender: '+15550102000',
    text: 'Is the counter open on Sunday?',
    type: 'sms',
    metadata: { sim_slot: 1 },
    externalId: 'pretend-last',
  })
  await api.optOut('+15550109999')
  // Until what was sent was delivered, and counted.
  await new Promise(resolve => setTimeout(resolve, 4_000))
}
