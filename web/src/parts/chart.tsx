/** Sent, delivered and failed over time: bars, and the same as a table for those who cannot see them. */

import { count } from './show.tsx'

type Point = { at: string; sent: number; delivered: number; failed: number; expired: number; unknown: number }

const width = 720
const height = 150
const floor = 22
const kinds = ['sent', 'delivered', 'failed'] as const
const words = { sent: 'Sent', delivered: 'Delivered', failed: 'Failed' }

const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })

export function Chart({ points, isDaily }: { points: readonly Point[]; isDaily: boolean }) {
  const bars = points.map(({ at, sent, delivered, failed, expired, unknown }) => ({
    key: at,
    at: (isDaily ? day : hour).format(new Date(at)),
    sent,
    delivered,
    failed: failed + expired + unknown,
  }))
  const most = niceAbove(Math.max(0, ...bars.flatMap(bar => kinds.map(kind => bar[kind]))))
  const step = width / Math.max(1, bars.length)
  const bar = Math.min(14, (step * 0.76) / kinds.length)
  const tall = height - floor - 6
  const labelled = Math.ceil(bars.length / 6)
  return (
    <figure className="chart">
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" preserveAspectRatio="none">
        {[0, 0.5, 1].map(share => (
          <line
            key={share}
            x1={0}
            x2={width}
            y1={6 + tall * (1 - share)}
            y2={6 + tall * (1 - share)}
            className="rule"
          />
        ))}
        {bars.map(({ key, at, ...values }, index) =>
          kinds.map((kind, place) => {
            const high = most === 0 ? 0 : (values[kind] / most) * tall
            return (
              <rect
                key={`${key}-${kind}`}
                className={kind}
                x={index * step + (step - bar * kinds.length) / 2 + place * bar}
                y={6 + tall - high}
                width={Math.max(1, bar - 1)}
                height={high}
              >
                <title>{`${at}: ${count(values[kind])} ${kind}`}</title>
              </rect>
            )
          }),
        )}
      </svg>
      <div className="axis" aria-hidden="true">
        {bars.map(({ key, at }, index) => (
          <span key={key} className={(index / labelled) % 2 === 1 ? 'extra' : undefined}>
            {index % labelled === 0 && at}
          </span>
        ))}
      </div>
      <figcaption className="row spread small muted">
        <span className="row">
          {kinds.map(kind => (
            <span key={kind} className="row">
              <span className={`swatch ${kind}`} />
              {words[kind]}
            </span>
          ))}
        </span>
        <span>{most === 0 ? 'Nothing happened in this period' : `Highest line: ${count(most)}`}</span>
      </figcaption>
      <div className="hidden-visually">
        <table>
          <caption>Messages over time</caption>
          <thead>
            <tr>
              <th>Time</th>
              {kinds.map(kind => (
                <th key={kind}>{words[kind]}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {bars.map(({ key, at, ...values }) => (
              <tr key={key}>
                <td>{at}</td>
                {kinds.map(kind => (
                  <td key={kind}>{values[kind]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}

/** The next round number. */
function niceAbove(n: number): number {
  if (n === 0) return 0
  const size = 10 ** Math.floor(Math.log10(n))
  return [1, 2, 5, 10].map(times => times * size).find(nice => nice >= n)!
}
