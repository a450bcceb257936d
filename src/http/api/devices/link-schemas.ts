/** The shapes of linking on the wire. */

import { type Static, Type } from '../../schema.ts'
import { closed, time, words } from '../shapes.ts'
import { Device, deviceName, devicePhone } from './schemas.ts'

export const LinkRequest = Type.Object(
  {
    name: deviceName,
    phone: Type.Optional(devicePhone),
  },
  { ...closed, title: 'LinkRequest' },
)
export type LinkRequest = Static<typeof LinkRequest>

export const LinkStep = Type.Object(
  {
    step: words(
      ['qr', 'code', 'code_refused', 'linked', 'failed'],
      'A code to scan, renewed until it ends; a code to type instead, if a phone number was given, or that there is none; how it ended.',
    ),
    qr: Type.Optional(Type.String({ description: 'What the QR code says.' })),
    expires_at: Type.Optional(time('When the QR code ends; another follows.')),
    code: Type.Optional(Type.String({ description: 'The code to type; of a failure, its stable reason.' })),
    detail: Type.Optional(
      Type.String({ description: 'Why it failed, or why there is no code to type, for people.' }),
    ),
    device: Type.Optional(Device),
  },
  { ...closed, title: 'LinkStep' },
)
export type LinkStep = Static<typeof LinkStep>
