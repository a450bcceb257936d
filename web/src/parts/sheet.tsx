/** A window above the page: the browser's own, which keeps the focus within and closes with Escape. */

import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Icon } from './icon.tsx'

type Props = {
  title: string
  onClose: () => void
  isRoomy?: boolean
  children: ReactNode
}

export function Sheet({ title, onClose, isRoomy = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const shown = dialog.current
    if (shown && !shown.open) shown.showModal()
    return () => shown?.close()
  }, [])
  return (
    // The backdrop is part of the dialog; the keyboard has Escape.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <dialog
      ref={dialog}
      className={isRoomy ? 'sheet roomy' : 'sheet'}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      onClick={event => {
        if (event.target === dialog.current) onClose()
      }}
    >
      <div className="top">
        <h2 id={id}>{title}</h2>
        <button type="button" className="button quiet small" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <div className="body stack">{children}</div>
    </dialog>
  )
}
