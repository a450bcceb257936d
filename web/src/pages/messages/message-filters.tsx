/** Which messages to show: kept in the address, so that it can be passed on. */

import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { MessagesQuery } from '../../../../sdk/src/index.ts'
import { useDevices } from '../../devices.ts'
import { Button } from '../../parts/button.tsx'
import { looks } from '../../parts/status.tsx'

const typingMs = 300

/** What is typed either is a number, or is looked for in the texts. */
const isNumber = (text: string) => /^(\+|00)[\d\s().-]{6,}$/.test(text)

/** A day that is none, such as one with a year of five digits, is not filtered by. */
function momentOf(day: string | undefined, time: string): string | undefined {
  const at = new Date(`${day}${time}`)
  return day === undefined || Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

export function filterOf(search: URLSearchParams): MessagesQuery {
  const value = (name: string) => search.get(name) || undefined
  const text = value('q')
  return {
    ...(value('status') && { status: value('status') as NonNullable<MessagesQuery['status']> }),
    ...(value('device') && { device_id: value('device')! }),
    ...(value('batch') && { batch_id: value('batch')! }),
    ...(text && (isNumber(text) ? { to: text } : { contains: text })),
    ...(momentOf(value('since'), 'T00:00') && { since: momentOf(value('since'), 'T00:00')! }),
    ...(momentOf(value('until'), 'T23:59:59.999') && { until: momentOf(value('until'), 'T23:59:59.999')! }),
  }
}

export function Filters() {
  const [search, setSearch] = useSearchParams()
  const { data: devices = [] } = useDevices()
  const set = (name: string, value: string) =>
    setSearch(
      before => {
        const after = new URLSearchParams(before)
        if (value === '') after.delete(name)
        else after.set(name, value)
        return after
      },
      { replace: true },
    )
  return (
    <search className="filters">
      <SearchBox value={search.get('q') ?? ''} onChange={text => set('q', text)} />
      <select
        className="input"
        aria-label="State"
        value={search.get('status') ?? ''}
        onChange={event => set('status', event.target.value)}
      >
        <option value="">Every state</option>
        {Object.entries(looks).map(([status, { word }]) => (
          <option key={status} value={status}>
            {word}
          </option>
        ))}
      </select>
      <select
        className="input"
        aria-label="Device"
        value={search.get('device') ?? ''}
        onChange={event => set('device', event.target.value)}
      >
        <option value="">Every device</option>
        {devices.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <input
        type="date"
        className="input"
        aria-label="From this day"
        max="9999-12-31"
        value={search.get('since') ?? ''}
        onChange={event => set('since', event.target.value)}
      />
      <input
        type="date"
        className="input"
        aria-label="Up to this day"
        max="9999-12-31"
        value={search.get('until') ?? ''}
        onChange={event => set('until', event.target.value)}
      />
      {search.get('batch') && (
        <Button isSmall look="quiet" icon="close" onClick={() => set('batch', '')}>
          One bulk send
        </Button>
      )}
    </search>
  )
}

/** Looks once nothing was typed for a moment. */
function SearchBox({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // What is typed meanwhile, a blank at its end included, stays.
  useEffect(() => setText(before => (before.trim() === value ? before : value)), [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <input
      type="search"
      className="input search"
      aria-label="Search for a number or words"
      placeholder="Number, or words of the text"
      value={text}
      onChange={({ target }) => {
        setText(target.value)
        clearTimeout(timer.current)
        timer.current = setTimeout(() => onChange(target.value.trim()), typingMs)
      }}
    />
  )
}
