/** What somebody does in the SMSGate app to connect an Android phone, and what shows that it is done. */

/** What can be seen from here of a phone that is being connected. */
export const signs = ['app', 'registered', 'online', 'event_stream', 'settings'] as const
export type Sign = (typeof signs)[number]

type Step = { text: string; shownBy: Sign | null }

export const stepsFor = (url: string, token: string, code: string | null): Step[] => [
  {
    text: 'Install the SMSGate app (“SMS Gateway for Android”): app-release.apk from the releases of capcom6/android-sms-gateway on GitHub, best 1.70.3 or newer, at least 1.53.1.',
    shownBy: 'app',
  },
  {
    text: 'On Android 13 or newer: open the phone’s Settings → Apps → SMSGate, tap ⋮ and “Allow restricted settings”. Then, in the app, allow SMS and Phone.',
    shownBy: null,
  },
  { text: `In the app: Settings → Cloud server → API URL: ${url}`, shownBy: 'registered' },
  { text: `Settings → Cloud server → Private Token: ${token}`, shownBy: 'registered' },
  { text: 'Settings → Cloud server → Notification channel: SSE Only.', shownBy: 'event_stream' },
  {
    text: 'Settings → System → Battery optimization: switch it off for this app. Keep the phone on its charger.',
    shownBy: null,
  },
  { text: 'Home: switch Start on boot on.', shownBy: null },
  { text: 'Home: switch Cloud server on, and tap the Offline button.', shownBy: 'online' },
  {
    text:
      code === null
        ? 'If the app asks how to register, choose Sign Up and leave everything as it is.'
        : `If the app asks how to register, choose By Code and type ${code} (valid for 10 minutes), or choose Sign Up.`,
    shownBy: 'registered',
  },
  {
    // That it fetched them is seen; that it started over with them is not.
    text: 'Once it says Online, tap the button twice (offline, online): some settings are taken over only then.',
    shownBy: null,
  },
  {
    text: 'In the phone’s own messages app switch RCS chats off: they never reach other apps.',
    shownBy: null,
  },
]

/** The app speaks plain http to 127.0.0.1 only. */
export function warningFor(url: string): string | null {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:')
    return /^(127\.|localhost$|\[::1\]$)/.test(hostname)
      ? 'This address leads to the machine that opens it, so a phone reaches itself. Set PUBLIC_URL to the address of this gateway.'
      : null
  if (hostname === '127.0.0.1')
    return 'This address works only for a phone on a USB cable, after: adb reverse tcp:PORT tcp:PORT. Any other phone needs https: set TLS_CERT and TLS_KEY, or put a proxy in front, and set PUBLIC_URL.'.replaceAll(
      'PORT',
      new URL(url).port || '80',
    )
  return 'This address cannot work: the app refuses plain http. Set TLS_CERT and TLS_KEY, or put a proxy in front, and set PUBLIC_URL to an https address.'
}
