/** A WhatsApp number: linked to a phone as WhatsApp Web is, or over the official API. */

import type { KindRecord } from './kind.ts'

const whatsapp = {
  name: 'whatsapp',
  environments: ['production', 'staging'],
  counts: 'messages',
  longestText: 4_096,
  longestCaption: 1_024,
  perMinute: null,
  hasFixedNumber: true,
} as const

export const linkedNumber = {
  ...whatsapp,
  driver: 'linked',
  isUsual: true,
  title: 'WhatsApp number',
  about: 'Linked like WhatsApp Web: scan a code with the phone. Files too.',
  addedBy: 'linking',
  // What people report to go well; nothing is published.
  safety: { gapLeast: 3, gapMost: 8, newChatsPerDay: 50, warmUpDays: 7 },
  firstAttention: [],
} as const satisfies KindRecord

export const cloudNumber = {
  ...whatsapp,
  driver: 'cloud',
  isUsual: false,
  title: 'WhatsApp Business number (official API)',
  about: 'For numbers that are registered with Meta. No phone is needed, and nothing is against the terms.',
  addedBy: 'credentials',
  // Nobody is blocked for haste: the API says itself when to wait.
  safety: null,
  firstAttention: ['no_webhook'],
} as const satisfies KindRecord
