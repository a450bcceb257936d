/** A few things one can do with something, behind three dots: the browser's own popover. */

import { useId, useRef } from 'react'
import { Icon } from './icon.tsx'

export type MenuItem = { label: string; onChoose: () => void; isDanger?: boolean }

export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  if (items.length === 0) return null
  return (
    <>
      <button ref={button} type="button" className="button quiet small" aria-label={label} popoverTarget={id}>
        <Icon name="more" />
      </button>
      <div
        ref={menu}
        id={id}
        className="menu"
        popover="auto"
        onToggle={event => {
          if (event.newState !== 'open' || !menu.current || !button.current) return
          const at = button.current.getBoundingClientRect()
          const { offsetWidth, offsetHeight } = menu.current
          const isLow = at.bottom + offsetHeight + 8 > innerHeight
          menu.current.style.top = `${isLow ? Math.max(4, at.top - offsetHeight - 8) : at.bottom}px`
          menu.current.style.left = `${Math.max(4, Math.min(at.right - offsetWidth, innerWidth - offsetWidth - 4))}px`
          menu.current.querySelector('button')?.focus()
        }}
      >
        {items.map(({ label: text, onChoose, isDanger }) => (
          <button
            key={text}
            type="button"
            className={isDanger ? 'danger' : undefined}
            onClick={() => {
              menu.current?.hidePopover()
              onChoose()
            }}
          >
            {text}
          </button>
        ))}
      </div>
    </>
  )
}
