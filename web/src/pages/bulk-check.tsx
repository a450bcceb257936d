/** What is wrong with a list, and how its first messages will look. */

import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { type Recipient, recipientsOf, type Table, type Verdict } from '../bulk/list.ts'
import { useApi, useEnvironment } from '../environment.ts'
import { DataTable, number } from '../parts/data-table.tsx'
import { Notice } from '../parts/page.tsx'
import { Person, visible } from '../parts/person.tsx'
import { count } from '../parts/show.tsx'
import { useSettled } from '../settled.ts'
import { Judgement } from './judgement.tsx'

const mostAtOnce = 100
/** Beyond so many the gateway says it when the message comes to it. */
const mostAskedFor = 5_000

/** Those of the list who want no messages. */
export function useOptedOut(table: Table | undefined, column: number, template: string): ReadonlySet<string> {
  const api = useApi()
  const environment = useEnvironment()
  const asked = useDeferredValue(table)
  const { data } = useQuery({
    queryKey: [environment, 'opted-out', asked, column],
    queryFn: async () => {
      const numbers = recipientsOf(asked!, column, '')
        .filter(({ verdict }) => verdict === 'fine')
        .slice(0, mostAskedFor)
        .map(({ number }) => number)
      const found = new Set<string>()
      for (let at = 0; at < numbers.length; at += mostAtOnce) {
        const recipients = numbers.slice(at, at + mostAtOnce)
        const { data: verdict } = await api.preview({ recipients, message: template || 'x' })
        for (const { code, index } of verdict.rejected)
          if (code === 'recipient_opted_out') found.add(recipients[index]!)
      }
      return found
    },
    enabled: asked !== undefined,
    staleTime: 60_000,
    gcTime: 60_000,
  })
  return data ?? none
}
const none: ReadonlySet<string> = new Set()

const words: Record<Verdict, { word: string; look: string }> = {
  fine: { word: 'will be sent', look: 'good' },
  invalid: { word: 'not a number', look: 'bad' },
  duplicate: { word: 'twice in the list', look: 'warn' },
  opted_out: { word: 'opted out', look: 'warn' },
  empty: { word: 'no text', look: 'bad' },
}
const mostShown = 8

export function BulkCheck({
  recipients,
  template,
  deviceId,
}: {
  recipients: readonly Recipient[]
  template: string
  deviceId: string
}) {
  const api = useApi()
  const environment = useEnvironment()
  const first = recipients.find(({ verdict }) => verdict === 'fine')
  const sample = useSettled(first ? { to: first.number, message: first.text } : null)
  const { data: verdict } = useQuery({
    queryKey: [environment, 'preview', sample, deviceId],
    queryFn: async () =>
      (await api.preview({ ...sample!, ...(deviceId !== '' && { device_id: deviceId }) })).data,
    enabled: sample !== null && sample.message.trim() !== '',
    placeholderData: before => before,
    gcTime: 60_000,
  })
  const refused = recipients.filter(one => one.verdict !== 'fine')
  const shown = [
    ...refused.slice(0, mostShown),
    ...recipients.filter(one => one.verdict === 'fine').slice(0, 5),
  ]
  return (
    <section className="card stack" aria-live="polite">
      <h2>Before it is sent</h2>
      <div className="row">
        {(Object.keys(words) as Verdict[]).map(kind => {
          const n = recipients.filter(one => one.verdict === kind).length
          return n === 0 && kind !== 'fine' ? null : (
            <span key={kind} className={`badge ${words[kind].look}`}>
              {count(n)} {words[kind].word}
            </span>
          )
        })}
      </div>
      {first && template.trim() !== '' && <Judgement text={first.text} verdict={verdict} />}
      {verdict?.problem && <Notice look="bad">{verdict.problem.detail}</Notice>}
      <DataTable heads={[number('Line'), 'To', 'What becomes of it', 'Text']}>
        {shown.map(({ line, given, number, text, verdict: kind }) => (
          <tr key={line}>
            <td className="number muted" data-label="Line">
              {line}
            </td>
            <td>{number === '' ? <code>{visible(given) || 'nothing'}</code> : <Person number={number} />}</td>
            <td>
              <span className={`badge ${words[kind].look}`}>{words[kind].word}</span>
            </td>
            <td className="text">{kind === 'fine' ? text : ''}</td>
          </tr>
        ))}
      </DataTable>
      {recipients.length > shown.length && (
        <p className="muted small">and {count(recipients.length - shown.length)} more rows</p>
      )}
    </section>
  )
}
