/** Every command, in the order in which they are listed. Each file is loaded when one of its commands is wanted. */

import type { Command } from './command.ts'

type Family = {
  /** What its commands begin with. */
  words: readonly string[]
  load: () => Promise<readonly Command[]>
}

const families: readonly Family[] = [
  { words: ['serve'], load: async () => [(await import('./serve.ts')).serve] },
  { words: ['setup-link', 'users'], load: async () => (await import('./users.ts')).userCommands },
  { words: ['keys'], load: async () => (await import('./keys.ts')).keyCommands },
  {
    words: ['devices'],
    load: async () => [...(await import('./devices.ts')).deviceCommands, (await import('./link.ts')).link],
  },
  { words: ['send'], load: async () => [(await import('./send.ts')).send] },
  { words: ['status'], load: async () => [(await import('./status.ts')).status] },
  { words: ['cancel'], load: async () => [(await import('./cancel.ts')).cancel] },
  { words: ['inbox'], load: async () => [(await import('./inbox.ts')).inbox] },
  { words: ['webhooks'], load: async () => (await import('./webhooks.ts')).webhookCommands },
  { words: ['opt-outs', 'people'], load: async () => (await import('./people.ts')).peopleCommands },
  { words: ['simulate'], load: async () => [(await import('./simulate.ts')).simulate] },
  { words: ['nodes'], load: async () => (await import('./nodes.ts')).nodeCommands },
  { words: ['config'], load: async () => [(await import('./config.ts')).config] },
  { words: ['migrate'], load: async () => [(await import('./migrate.ts')).migrate] },
  { words: ['doctor'], load: async () => [(await import('./doctor.ts')).doctor] },
  { words: ['backup', 'restore'], load: async () => (await import('./backup.ts')).backupCommands },
  { words: ['secrets'], load: async () => (await import('./secrets.ts')).secretCommands },
  { words: ['held'], load: async () => [(await import('./held.ts')).held] },
]

/** Those that begin with the word. */
export async function commandsOf(word: string): Promise<readonly Command[]> {
  const all = (await families.find(({ words }) => words.includes(word))?.load()) ?? []
  return all.filter(({ name }) => name.split(' ')[0] === word)
}

export async function allCommands(): Promise<readonly Command[]> {
  return (await Promise.all(families.map(({ load }) => load()))).flat()
}
