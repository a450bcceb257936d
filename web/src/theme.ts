/** Light, dark, or as the system has it. */

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const name = 'basestation.theme'

export function theme(): Theme {
  const kept = localStorage.getItem(name)
  return themes.includes(kept as Theme) ? (kept as Theme) : 'system'
}

export function applyTheme(chosen: Theme = theme()): void {
  if (chosen === 'system') localStorage.removeItem(name)
  else localStorage.setItem(name, chosen)
  document.documentElement.dataset.theme = chosen
}
