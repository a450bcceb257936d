/** Why a device may need somebody's hand, and what to do about it. */

type Attention = {
  detail: string
  /** What to run on the gateway's machine, where that is the way; ID stands for the device. */
  command?: string
}

export const attentions = {
  not_connected: {
    detail: 'No phone has connected yet. Follow the steps that were shown when the device was added.',
  },
  phone_offline: {
    detail:
      'The phone is offline. Check that it is on, has a network connection, and shows Online in the app.',
  },
  no_event_stream: {
    detail:
      'The phone has no event stream, so it gets new messages late. In the app set Settings → Cloud server → Notification channel to SSE Only, then tap Online twice to restart it.',
  },
  app_outdated: { detail: 'The app on the phone is too old. Update it to version 1.53.1 or newer.' },
  battery_low: { detail: 'The phone’s battery is low.' },
  not_charging: { detail: 'The phone is not charging. Keep it on a charger.' },
  signature_refused: {
    detail:
      'Received messages were refused because their signature is wrong. Tap Online twice in the app, so that it fetches its signing key again.',
  },
  logged_out: {
    detail: 'WhatsApp ended the link, or somebody removed it on the phone. Link the number again.',
    command: 'npx basestation devices link ID',
  },
  number_banned: { detail: 'WhatsApp has blocked this number. Open WhatsApp on the phone to see why.' },
  whatsapp_refused: { detail: 'WhatsApp refuses the connection for now. Look at WhatsApp on the phone.' },
  session_conflict: {
    detail: 'Another program uses the same WhatsApp session. Stop it, or link the number again.',
    command: 'npx basestation devices link ID',
  },
  client_outdated: {
    detail:
      'WhatsApp no longer accepts this WhatsApp Web version. Update Basestation, or set WHATSAPP_VERSION.',
  },
  new_chats_paused: {
    detail:
      'WhatsApp does not let this number start new chats for now. Replies are still sent; messages to new people wait.',
  },
  no_webhook: {
    detail:
      'WhatsApp has not called the webhook yet, so there are no delivery reports and no received messages. Enter its address and verify token in Meta’s app dashboard, and subscribe to “messages”.',
  },
  token_refused: {
    detail: 'WhatsApp’s official API refuses the access token. Give the device a new one.',
    command: 'npx basestation devices set ID --token-file FILE',
  },
  api_unreachable: { detail: 'WhatsApp’s official API cannot be reached. Look at the gateway’s network.' },
  library_missing: {
    detail: 'The optional package for WhatsApp is not installed. Run npm install, and start again.',
  },
} as const satisfies Record<string, Attention>
export type AttentionCode = keyof typeof attentions

export const attentionFor = (code: AttentionCode, deviceId: string): Attention => {
  const { detail, command }: Attention = attentions[code]
  return { detail, ...(command !== undefined && { command: command.replace('ID', deviceId) }) }
}
