/** What was measured, beside what it should be. */

import { median } from './process.ts'

const rounds = 5

/** Targets that were not met. */
export const missed: string[] = []

export function report(what: string, value: number, target: number, details: string, atMost = false): void {
  const met = atMost ? value <= target : value >= target
  if (!met) missed.push(what)
  console.log(
    `${met ? 'met   ' : 'MISSED'}  ${what}: ${value.toFixed(2)} (${atMost ? 'at most' : 'at least'} ${target})  ${details}`,
  )
}
/** Two rates, and the ratio between them. */
export const reportRates = (what: string, one: number, other: number, target: number): void =>
  report(what, one / other, target, `${perSecond(one)} ÷ ${perSecond(other)}`)

export const perSecond = (value: number) => `${Math.round(value).toLocaleString('en')}/s`

/** Measures each in turn, round by round, every other round backwards, so that a noisy moment spoils no one alone. */
export async function interleaved<Name extends string>(
  measures: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(measures) as Name[]
  const results = Object.fromEntries(names.map(name => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = 0; round < rounds; round += 1)
    for (const name of round % 2 === 0 ? names : names.toReversed())
      results[name].push(await measures[name]())
  return Object.fromEntries(names.map(name => [name, median(results[name])])) as Record<Name, number>
}

export const rate = async (result: Promise<{ requestsPerSecond: number; failed: number }>) => {
  const { requestsPerSecond, failed } = await result
  if (failed > 0) throw new Error(`${failed} requests failed`)
  return requestsPerSecond
}
