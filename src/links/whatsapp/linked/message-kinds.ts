/**
 * Every kind of message that people write, with the words that are shown for it. What is not in the table, and not of
 * the protocol alone, is shown too, by its name: nothing that somebody wrote vanishes.
 */

import type { proto } from 'baileys'

/** `kind` is told in `metadata.kind` for everything that is not simply a text or a file. */
export type Shown = { kind: string | undefined; text: string }

type Content = proto.IMessage
type Words = string | null | undefined

const lines = (...words: readonly (Words | false)[]): string => words.filter(Boolean).join('\n')

/** In the order in which they are looked for: a text may stand beside what it is about. */
const table: readonly [kind: string | undefined, read: (content: Content) => Words][] = [
  [undefined, ({ conversation }) => conversation],
  [undefined, ({ extendedTextMessage: text }) => text && (text.text ?? '')],
  [undefined, ({ imageMessage: file }) => file && (file.caption ?? '')],
  [undefined, ({ videoMessage: file }) => file && (file.caption ?? '')],
  [undefined, ({ documentMessage: file }) => file && (file.caption ?? '')],
  [undefined, ({ audioMessage, ptvMessage }) => (audioMessage || ptvMessage) && ''],
  ['sticker', ({ stickerMessage }) => stickerMessage && ''],
  ['sticker', ({ lottieStickerMessage }) => lottieStickerMessage && ''],
  ['location', ({ locationMessage: place }) => place && lines(place.name, place.address, geo(place))],
  ['live_location', ({ liveLocationMessage: place }) => place && lines(place.caption, geo(place))],
  ['contact', ({ contactMessage: contact }) => contact && (contact.vcard || contact.displayName || '')],
  [
    'contacts',
    ({ contactsArrayMessage: list }) =>
      list && lines(...(list.contacts ?? []).map(({ vcard, displayName }) => vcard || displayName)),
  ],
  ['poll', content => pollOf(content) && lines(pollOf(content)!.name, ...optionsOf(pollOf(content)!))],
  // Only who made the poll can open the vote.
  ['poll_vote', ({ pollUpdateMessage }) => pollUpdateMessage && 'Voted in a poll.'],
  ['event', ({ eventMessage: event }) => event && lines(event.name, event.description, startOf(event))],
  [
    'event_response',
    ({ encEventResponseMessage: answer }) => answer && 'Answered an invitation to an event.',
  ],
  [
    'group_invitation',
    ({ groupInviteMessage: group }) =>
      group && lines(group.caption, `Invitation to the group “${group.groupName ?? ''}”`),
  ],
  ['button_reply', ({ buttonsResponseMessage: reply }) => reply && (reply.selectedDisplayText ?? '')],
  ['button_reply', ({ templateButtonReplyMessage: reply }) => reply && (reply.selectedDisplayText ?? '')],
  ['list_reply', ({ listResponseMessage: reply }) => reply && lines(reply.title, reply.description)],
  ['form_reply', ({ interactiveResponseMessage: reply }) => reply && formOf(reply)],
  [
    'interactive',
    ({ interactiveMessage: one }) => one && lines(one.header?.title, one.body?.text, one.footer?.text),
  ],
  ['interactive', ({ buttonsMessage: one }) => one && lines(one.text, one.contentText, one.footerText)],
  ['interactive', ({ listMessage: one }) => one && lines(one.title, one.description, one.footerText)],
  ['interactive', ({ templateMessage: one }) => one && templateOf(one)],
  [
    'product',
    ({ productMessage: one }) =>
      one && lines(one.product?.title, one.product?.description, one.body, one.footer),
  ],
  [
    'order',
    ({ orderMessage: order }) =>
      order && lines(order.orderTitle, order.message, `${order.itemCount ?? 0} items, ${amountOf(order)}`),
  ],
  [
    'payment',
    ({ requestPaymentMessage: one }) =>
      one && lines('Payment request', one.noteMessage?.extendedTextMessage?.text),
  ],
  [
    'payment',
    ({ sendPaymentMessage: one }) => one && lines('Payment', one.noteMessage?.extendedTextMessage?.text),
  ],
  ['payment', ({ paymentInviteMessage: one }) => one && 'Invitation to pay by WhatsApp'],
  ['call', ({ scheduledCallCreationMessage: call }) => call && lines('Scheduled call', call.title)],
  [
    'comment',
    ({ commentMessage: one }) =>
      one && (one.message?.conversation ?? one.message?.extendedTextMessage?.text ?? ''),
  ],
]

/** Keys, settings and the like, which programs tell each other. The parts of an album come by themselves. */
const ofTheProtocol = new Set([
  'senderKeyDistributionMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
  'protocolMessage',
  'messageContextInfo',
  'deviceSentMessage',
  'reactionMessage',
  'encReactionMessage',
  'stickerSyncRmrMessage',
  'keepInChatMessage',
  'pinInChatMessage',
  'albumMessage',
  'call',
  'chat',
  'callLogMesssage',
  'bcallMessage',
  'messageHistoryBundle',
  'messageHistoryNotice',
  'placeholderMessage',
  'limitSharingMessage',
  'botInvokeMessage',
  'scheduledCallEditMessage',
  'declinePaymentRequestMessage',
  'cancelPaymentRequestMessage',
])

/** Undefined: there is nothing in it for people. */
export function shownOf(content: Content | undefined): Shown | undefined {
  if (!content) return undefined
  for (const [kind, read] of table) {
    const text = read(content)
    if (typeof text === 'string' && (text !== '' || isThere(content))) return { kind, text }
  }
  const unknown = namesOf(content).find(name => !ofTheProtocol.has(name))
  if (unknown === undefined) return undefined
  return { kind: 'unsupported', text: `A message of a kind that cannot be shown here (${unknown}).` }
}

const namesOf = (content: Content): string[] =>
  Object.entries(content).flatMap(([name, value]) => (value === null || value === undefined ? [] : [name]))

/** A text that is empty, such as a picture without a caption, counts if there is more to the message. */
const isThere = (content: Content) =>
  namesOf(content).some(name => name !== 'conversation' && !ofTheProtocol.has(name))

const geo = ({
  degreesLatitude,
  degreesLongitude,
}: {
  degreesLatitude?: number | null
  degreesLongitude?: number | null
}) => `geo:${degreesLatitude},${degreesLongitude}`

const pollOf = (content: Content) =>
  content.pollCreationMessage ??
  content.pollCreationMessageV2 ??
  content.pollCreationMessageV3 ??
  content.pollCreationMessageV4?.message?.pollCreationMessage ??
  content.pollCreationMessageV5

const optionsOf = ({ options }: proto.Message.IPollCreationMessage) =>
  (options ?? []).map(({ optionName }) => `- ${optionName ?? ''}`)

function startOf({ startTime }: proto.Message.IEventMessage): string {
  const at = Number(startTime ?? 0) * 1_000
  return at > 0 && at < 253_402_300_800_000 ? new Date(at).toISOString() : ''
}

function formOf({
  body,
  nativeFlowResponseMessage: flow,
}: proto.Message.IInteractiveResponseMessage): string {
  return lines(body?.text, flow?.paramsJson)
}

function templateOf({ hydratedTemplate, hydratedFourRowTemplate }: proto.Message.ITemplateMessage): string {
  const one = hydratedTemplate ?? hydratedFourRowTemplate
  return lines(one?.hydratedTitleText, one?.hydratedContentText, one?.hydratedFooterText)
}

const amountOf = ({ totalAmount1000, totalCurrencyCode }: proto.Message.IOrderMessage) =>
  `${Number(totalAmount1000 ?? 0) / 1_000} ${totalCurrencyCode ?? ''}`.trim()
