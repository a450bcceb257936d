/** A window above the page: the browser's own, which keeps the focus within and closes with Escape. */

import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { Icon } from './icon.tsx'
import { useToast } from './toast.tsx'

type Props = {
  title: string
  onClose: () => void
  isRoomy?: boolean
  /** It shows what is never shown again: only its buttons close it. */
  isSticky?: boolean
  children: ReactNode
}

export function Sheet({ title, onClose, isRoomy = false, isSticky = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isPressed = useRef(false)
  const { clear } = useToast()
  const id = useId()
  // Before the browser paints, and before it is taken away: so the focus finds its way in, and back.
  useLayoutEffect(() => {
    const shown = dialog.current
    if (shown && !shown.open) shown.showModal()
    shown?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    return () => {
      shown?.close()
      // What had the focus before is gone with its page: the keyboard goes on from the page that is there.
      const focused = document.activeElement
      if (focused === document.body || shown?.contains(focused))
        document.getElementById('main')?.focus({ preventScroll: true })
      // What went wrong in it went with it.
      clear()
    }
  }, [clear])
  return (
    // The backdrop is part of the dialog; the keyboard has Escape.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <dialog
      ref={dialog}
      className={isRoomy ? 'sheet roomy' : 'sheet'}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault()
        if (!isSticky) onClose()
      }}
      onPointerDown={event => {
        isPressed.current = event.target === dialog.current
      }}
      onClick={event => {
        // Not what was pressed within and let go outside: that is how people mark text.
        if (event.target === dialog.current && isPressed.current && !isSticky) onClose()
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
