/** Short words at the edge of the page: it is done, or why not; perhaps with a way back. */

import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { BasestationError } from '../../../sdk/src/index.ts'
import { Icon } from './icon.tsx'

type Toast = { id: number; text: string; isBad: boolean; undo?: () => void }
type Say = {
  say: (text: string, undo?: () => void) => void
  complain: (error: unknown) => void
  /** What went wrong is over: whoever was told has gone on. */
  clear: () => void
}

const ToastContext = createContext<Say>({ say: () => {}, complain: () => {}, clear: () => {} })
export const useToast = (): Say => useContext(ToastContext)

/** What is to be read, or may be undone, stays longer. */
const shortMs = 6_000
const longMs = 12_000
const againMs = 2_000
let lastId = 0

/** What went wrong, in words for people. */
export const wordsFor = (error: unknown): string =>
  error instanceof BasestationError
    ? error.message
    : error instanceof TypeError || (error as Error)?.name === 'TimeoutError'
      ? 'The gateway cannot be reached. Is it running, and is your network up?'
      : `Something went wrong in this page: ${(error as Error)?.message ?? error}`

export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const list = useRef<HTMLDivElement>(null)
  const remove = useCallback((id: number) => setToasts(all => all.filter(one => one.id !== id)), [])
  const add = useCallback(
    (toast: Omit<Toast, 'id'>) => {
      lastId += 1
      const id = lastId
      // The same words once more take the place of the first.
      setToasts(all => [...all.filter(one => one.text !== toast.text).slice(-3), { ...toast, id }])
      const leave = () => {
        // Somebody is about to press something in it.
        if (list.current?.matches(':hover, :focus-within')) setTimeout(leave, againMs)
        else remove(id)
      }
      setTimeout(leave, toast.isBad || toast.undo ? longMs : shortMs)
    },
    [remove],
  )
  useEffect(() => {
    // Above whatever else is open, a dialog too: the last that is shown lies on top.
    list.current?.hidePopover()
    if (toasts.length > 0) list.current?.showPopover()
  }, [toasts])
  const say = useMemo<Say>(
    () => ({
      say: (text, undo) => add({ text, isBad: false, ...(undo && { undo }) }),
      complain: error => add({ text: wordsFor(error), isBad: true }),
      clear: () => setToasts(all => (all.some(one => one.isBad) ? all.filter(one => !one.isBad) : all)),
    }),
    [add],
  )
  return (
    <ToastContext value={say}>
      {children}
      <div ref={list} className="toasts" popover="manual" role="status" aria-live="polite">
        {toasts.map(({ id, text, isBad, undo }) => (
          <div key={id} className={isBad ? 'toast bad' : 'toast'}>
            <span>{text}</span>
            <span className="row">
              {undo && (
                <button
                  type="button"
                  className="button small"
                  onClick={() => {
                    undo()
                    remove(id)
                  }}
                >
                  Undo
                </button>
              )}
              <button
                type="button"
                className="button quiet small"
                aria-label="Dismiss"
                onClick={() => remove(id)}
              >
                <Icon name="close" size={14} />
              </button>
            </span>
          </div>
        ))}
      </div>
    </ToastContext>
  )
}
