/** Keeps libsignal from printing whole sessions, private keys and all, to the console. */

const chatter =
  /^(Closing|Opening|Removing old|Session error|Failed to decrypt|Decrypted message with closed|Session already|Migrating)/

let hushed = false

export function quietLibsignal(): void {
  if (hushed) return
  hushed = true
  for (const level of ['log', 'info', 'warn', 'error'] as const) {
    const usual = console[level].bind(console)
    console[level] = (...words: unknown[]) => {
      if (!chatter.test(String(words[0]))) usual(...words)
    }
  }
}
