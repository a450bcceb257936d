/** Something to copy, and the button that does it. */

import { useRef, useState } from 'react'
import { Icon } from './icon.tsx'

const saysMs = 2_500

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const button = useRef<HTMLButtonElement>(null)
  const [said, setSaid] = useState<string>()
  const copy = async () => {
    const isCopied = await copied(text, button.current!)
    setSaid(isCopied ? 'Copied' : 'Select it, and copy')
    setTimeout(() => setSaid(undefined), saysMs)
  }
  return (
    <button ref={button} type="button" className="button small" onClick={copy}>
      <Icon name={said === 'Copied' ? 'tick' : 'copy'} size={15} />
      {said ?? label}
    </button>
  )
}

async function copied(text: string, near: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Browsers keep the clipboard from pages without https; the old way is still there.
  }
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'hidden-visually'
  // Beside an open dialog nothing can be selected.
  const home = near.closest('dialog') ?? document.body
  home.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  near.focus()
  return isCopied
}

export const Secret = ({ text, label }: { text: string; label?: string }) => (
  <div className="secret">
    <code>{text}</code>
    <CopyButton text={text} {...(label !== undefined && { label })} />
  </div>
)

export const Snippet = ({ text }: { text: string }) => (
  <div className="secret tall">
    {/* What is wider than the page is scrolled, by keyboard too. */}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} />
  </div>
)
