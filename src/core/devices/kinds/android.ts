/** An Android phone: sends and receives SMS through an app. */

import type { KindRecord } from './kind.ts'

export const android = {
  name: 'android',
  driver: null,
  isUsual: true,
  title: 'Android phone',
  about: 'Sends and receives SMS with its own SIM, through an app that you install on it.',
  environments: ['production', 'staging'],
  addedBy: 'enrolment',
  counts: 'sms_parts',
  longestText: 10,
  longestCaption: null,
  // Above about 30 parts a minute Android asks the phone's owner for consent.
  perMinute: 20,
  safety: null,
  hasFixedNumber: false,
  firstAttention: ['not_connected'],
} as const satisfies KindRecord
