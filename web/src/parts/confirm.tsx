/** Asks once before what cannot be taken back, and says what will happen. */

import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Sheet } from './sheet.tsx'

type Props = {
  title: string
  children: ReactNode
  /** What the button says: the deed itself, never “OK”. */
  deed: string
  isBusy?: boolean
  onConfirm: () => void
  onClose: () => void
}

export const Confirm = ({ title, children, deed, isBusy = false, onConfirm, onClose }: Props) => (
  <Sheet title={title} onClose={onClose}>
    <div className="stack">{children}</div>
    <div className="foot-actions">
      <Button onClick={onClose}>Keep it</Button>
      <Button look="danger primary" isBusy={isBusy} onClick={onConfirm}>
        {deed}
      </Button>
    </div>
  </Sheet>
)
