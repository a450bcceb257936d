/** What every page has: a heading, its actions, and something to say when there is nothing to show. */

import { type ReactNode, useEffect } from 'react'
import { wordsFor } from './toast.tsx'

type Props = { title: string; about?: ReactNode; actions?: ReactNode; children: ReactNode }

export function Page({ title, about, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Basestation`
  }, [title])
  return (
    <>
      <div className="head">
        <h1>{title}</h1>
        {actions && <div className="actions">{actions}</div>}
        {about && <p>{about}</p>}
      </div>
      {children}
    </>
  )
}

export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="empty">
    <h2>{title}</h2>
    {children}
  </div>
)

export const Notice = ({
  look = 'info',
  children,
}: {
  look?: 'info' | 'warn' | 'bad' | 'good'
  children: ReactNode
}) => (
  <div className={`notice ${look}`}>
    <div>{children}</div>
  </div>
)

export const Trouble = ({ error }: { error: unknown }) => (
  <div role="alert">
    <Notice look="bad">{wordsFor(error)}</Notice>
  </div>
)

/** What a query found. What is known already stays while it is looked up again. */
export function Found<Data>({
  query,
  children,
}: {
  query: { data: Data | undefined; error: unknown }
  children: (data: Data) => ReactNode
}) {
  if (query.data !== undefined) return children(query.data)
  return query.error ? <Trouble error={query.error} /> : <div className="bones" aria-busy="true" />
}
