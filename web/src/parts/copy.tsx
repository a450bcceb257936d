/** Something to copy, and the button that does it. */

import { useState } from 'react'
import { Button } from './button.tsx'

const saysMs = 2_000

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      // Browsers keep the clipboard from pages without https; the text is there to be selected.
      return
    }
    setCopied(true)
    setTimeout(() => setCopied(false), saysMs)
  }
  return (
    <Button isSmall icon={isCopied ? 'tick' : 'copy'} onClick={copy}>
      {isCopied ? 'Copied' : label}
    </Button>
  )
}

export const Secret = ({ text, label }: { text: string; label?: string }) => (
  <div className="secret">
    <code>{text}</code>
    <CopyButton text={text} {...(label !== undefined && { label })} />
  </div>
)

export const Snippet = ({ text }: { text: string }) => (
  <div className="secret tall">
    <pre>
      <code>{text}</code>
    </pre>
    <CopyButton text={text} />
  </div>
)
