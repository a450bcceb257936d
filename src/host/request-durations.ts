/**
 * How long requests took, as a histogram of Prometheus. Kept in plain numbers: prom-client looks its labels up for each
 * observation, which costs more than the rest of what is noted about a request.
 */

import type { Metric, Registry } from 'prom-client'

const name = 'basestation_http_request_seconds'
const help = 'HTTP requests and how long they took.'

export type AnsweredRequest = { method: string; route: string; status: number; seconds: number }

type Labels = Pick<AnsweredRequest, 'method' | 'route' | 'status'>
/** `within[n]`: those that took no longer than the n-th bound, and longer than the one before. */
type Series = { labels: Labels; within: number[]; count: number; sum: number }

export class RequestDurations {
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, Series>()

  constructor(bounds: readonly number[], registry: Registry) {
    this.#bounds = bounds
    registry.registerMetric({ name, get: () => this.#get() } as unknown as Metric)
  }

  observe({ method, route, status, seconds }: AnsweredRequest): void {
    const key = `${method} ${status} ${route}`
    let series = this.#series.get(key)
    if (!series) {
      series = { labels: { method, route, status }, within: this.#bounds.map(() => 0), count: 0, sum: 0 }
      this.#series.set(key, series)
    }
    series.count += 1
    series.sum += seconds
    for (let at = 0; at < this.#bounds.length; at += 1)
      if (seconds <= this.#bounds[at]!) {
        series.within[at]! += 1
        break
      }
  }

  /** As prom-client wants it: each bucket counts those before it as well. */
  #get() {
    const values = [...this.#series.values()].flatMap(({ labels, within, count, sum }) => {
      let total = 0
      const buckets = this.#bounds.map((le, at) => {
        total += within[at]!
        return { labels: { le, ...labels }, value: total, metricName: `${name}_bucket` }
      })
      return [
        ...buckets,
        { labels: { le: '+Inf', ...labels }, value: count, metricName: `${name}_bucket` },
        { labels, value: sum, metricName: `${name}_sum` },
        { labels, value: count, metricName: `${name}_count` },
      ]
    })
    return { name, help, type: 'histogram', values, aggregator: 'sum' }
  }
}
