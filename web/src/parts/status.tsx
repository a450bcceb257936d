/** Where a message is, in one word and one colour. */

import type { Message } from '../../../sdk/src/index.ts'

export type Status = Message['status']

export const looks: Record<Status, { word: string; look: string; about: string }> = {
  scheduled: { word: 'Scheduled', look: 'info', about: 'Will be queued at its send time.' },
  queued: { word: 'Queued', look: 'info', about: 'Stored; waiting for a device.' },
  sending: { word: 'Sending', look: 'info', about: 'Handed to a device; no report yet.' },
  sent: { word: 'Sent', look: '', about: 'Accepted by the network.' },
  delivered: { word: 'Delivered', look: 'good', about: 'The recipient’s phone has it.' },
  read: { word: 'Read', look: 'good', about: 'It was read.' },
  failed: { word: 'Failed', look: 'bad', about: 'Not delivered.' },
  expired: { word: 'Expired', look: 'warn', about: 'Its validity ended before a device took it.' },
  canceled: { word: 'Canceled', look: '', about: 'Canceled before it was sent.' },
  unknown: {
    word: 'Unknown',
    look: 'warn',
    about: 'A device took it and never answered. It may have been sent, so it is not sent again by itself.',
  },
}

/** Newer gateways may know states that this page does not. */
export const lookOf = (status: string) =>
  (looks as Record<string, (typeof looks)[Status]>)[status] ?? { word: status, look: '', about: '' }

export const StatusBadge = ({ status }: { status: string }) => {
  const { word, look, about } = lookOf(status)
  return (
    <span className={`badge ${look}`} title={about}>
      {word}
    </span>
  )
}
