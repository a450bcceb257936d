/** One attempt to tell a webhook something, and what it answered. */

import type { DeliveryAttempt } from '../../../../sdk/src/index.ts'
import { exactly } from '../../parts/show.tsx'

export const isTaken = ({ status }: DeliveryAttempt) => status !== null && status >= 200 && status < 300

export const AttemptLine = ({ attempt }: { attempt: DeliveryAttempt }) => (
  <div className="stack tight">
    <span className="row">
      <span className={`badge ${isTaken(attempt) ? 'good' : 'bad'}`}>{attempt.status ?? 'no answer'}</span>
      <span className="small">{exactly(attempt.at)}</span>
      <span className="muted small">{attempt.duration_ms} ms</span>
    </span>
    {attempt.error && <span className="small">{attempt.error}</span>}
    {attempt.answer !== '' && (
      <div className="secret">
        <pre>
          <code>{attempt.answer}</code>
        </pre>
      </div>
    )}
  </div>
)
