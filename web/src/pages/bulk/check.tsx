/** What is wrong with a list, and how its first messages will look. */

import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useApi, useEnvironment } from '../../environment.ts'
import { Button } from '../../parts/button.tsx'
import { DataTable, number } from '../../parts/data-table.tsx'
import { Notice } from '../../parts/page.tsx'
import { Person, visible } from '../../parts/person.tsx'
import { count, counted } from '../../parts/show.tsx'
import { saveFile } from '../../save-file.ts'
import { useSettled } from '../../settled.ts'
import { Judgement } from '../messages/text-length.tsx'
import { type Recipient, recipientsOf, resultFile, type Table, type Verdict } from './list.ts'

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
  duplicate: { word: 'duplicate', look: 'warn' },
  opted_out: { word: 'opted out', look: 'warn' },
  empty: { word: 'no text', look: 'bad' },
  missing: { word: 'a value is missing', look: 'bad' },
}
/** More are in the file that can be saved. */
const mostShown = 200
const someShown = 8

/** How long each text is as an SMS: the shortest, the longest, and all of them together. */
export type Lengths = { least: number; most: number; sum: number; isWhole: boolean }

export function useLengths(recipients: readonly Recipient[]): Lengths | undefined {
  const api = useApi()
  const environment = useEnvironment()
  const fine = recipients.filter(({ verdict, text }) => verdict === 'fine' && text.trim() !== '')
  const counts = new Map<string, number>()
  for (const { text } of fine) counts.set(text, (counts.get(text) ?? 0) + 1)
  const texts = useSettled(JSON.stringify([...counts.keys()].slice(0, mostAskedFor)))
  const { data } = useQuery({
    queryKey: [environment, 'lengths', texts],
    queryFn: async () => {
      const all = JSON.parse(texts) as string[]
      const segments = new Map<string, number>()
      for (let at = 0; at < all.length; at += mostAtOnce) {
        const some = all.slice(at, at + mostAtOnce)
        const { data: found } = await api.preview({ to: fine[0]!.number, message: some[0]!, texts: some })
        for (const [index, one] of (found.texts ?? []).entries()) segments.set(some[index]!, one.segments)
      }
      return segments
    },
    enabled: fine.length > 0 && texts !== '[]',
    staleTime: 60_000,
    gcTime: 60_000,
  })
  if (!data || data.size === 0) return undefined
  const known = fine.flatMap(({ text }) => data.get(text) ?? [])
  if (known.length === 0) return undefined
  return {
    least: known.reduce((a, b) => Math.min(a, b)),
    most: known.reduce((a, b) => Math.max(a, b)),
    sum: known.reduce((a, b) => a + b, 0),
    isWhole: known.length === fine.length,
  }
}

export function BulkCheck({
  recipients,
  template,
  deviceId,
  lengths,
}: {
  recipients: readonly Recipient[]
  template: string
  deviceId: string
  lengths: Lengths | undefined
}) {
  const [isAll, setAll] = useState(false)
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
    ...refused.slice(0, isAll ? mostShown : someShown),
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
      {first && template.trim() !== '' && lengths && (
        <p className="small">
          {lengths.least === lengths.most
            ? `${counted(lengths.most, 'SMS segment')} each`
            : `${count(lengths.least)} to ${counted(lengths.most, 'SMS segment')} each`}
          , {lengths.isWhole ? '' : 'at least '}
          {count(lengths.sum)} in all
        </p>
      )}
      {first && template.trim() !== '' && <Judgement text={first.text} verdict={verdict} />}
      {verdict?.problem && <Notice look="bad">{verdict.problem.detail}</Notice>}
      <DataTable heads={[number('Line'), 'To', 'Result', 'Text']}>
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
      <div className="row">
        {recipients.length > shown.length && (
          <span className="muted small">and {count(recipients.length - shown.length)} more rows</span>
        )}
        {refused.length > someShown && !isAll && (
          <Button isSmall onClick={() => setAll(true)}>
            Show {refused.length > mostShown ? `${count(mostShown)} of ` : 'all '}
            {counted(refused.length, 'row')} that will not be sent
          </Button>
        )}
        {refused.length > 0 && (
          <Button isSmall onClick={() => saveFile('basestation-not-sent.csv', refusedFile(refused))}>
            Save rows that will not be sent
          </Button>
        )}
      </div>
    </section>
  )
}

const refusedFile = (refused: readonly Recipient[]) =>
  resultFile(refused.map(recipient => ({ recipient, outcome: words[recipient.verdict].word, messageId: '' })))
