/** How times, numbers of people, and amounts are written. */

import { useEffect, useState } from 'react'

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const withYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const amount = new Intl.NumberFormat('en')

const steps: readonly [Intl.RelativeTimeFormatUnit, number, number][] = [
  ['second', 1, 60],
  ['minute', 60, 3_600],
  ['hour', 3_600, 86_400],
  ['day', 86_400, 604_800],
]

export function ago(at: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(at) - now) / 1_000)
  const size = Math.abs(seconds)
  if (size < 5) return 'now'
  const step = steps.find(([, , most]) => size < most)
  if (step) return relative.format(Math.round(seconds / step[1]), step[0])
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return (isThisYear ? dayAndTime : withYear).format(new Date(at))
}

export const exactly = (at: string): string => exact.format(new Date(at))
export const count = (n: number): string => amount.format(n)
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`

export function bytes(size: number): string {
  if (size < 1_024) return `${size} B`
  return size < 1_048_576 ? `${Math.round(size / 1_024)} KB` : `${(size / 1_048_576).toFixed(1)} MB`
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`
  return seconds < 86_400 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`
}

/** Relative, with the exact time on hover; it ages while one looks. */
export function Time({ at }: { at: string | null }) {
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick(n => n + 1), 10_000)
    return () => clearInterval(timer)
  }, [])
  if (at === null) return <span className="muted">never</span>
  return (
    <time dateTime={at} title={exactly(at)} className="nowrap">
      {ago(at)}
    </time>
  )
}
