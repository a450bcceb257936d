/** How far a bulk send has got, and its result as a file. */

import { Link } from 'wouter'
import { resultFile } from '../bulk/list.ts'
import type { Progress } from '../bulk/run.ts'
import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/page.tsx'
import { count } from '../parts/show.tsx'

type Props = { progress: Progress; onPause: () => void; onGoOn: () => void; onClear: () => void }

export function BulkProgress({ progress, onPause, onGoOn, onClear }: Props) {
  const { state, done, total, outcomes, trouble } = progress
  const accepted = outcomes.filter(({ outcome }) => outcome === 'accepted').length
  const save = () => {
    const url = URL.createObjectURL(new Blob([resultFile(outcomes)], { type: 'text/csv' }))
    const link = document.createElement('a')
    link.href = url
    link.download = 'basestation-result.csv'
    link.click()
    URL.revokeObjectURL(url)
  }
  return (
    <section className="card stack wide compose">
      <div className="stack tight">
        <div className="row spread">
          <strong>
            {state === 'done' ? 'All handed over' : state === 'paused' ? 'Paused' : 'Handing over…'}
          </strong>
          <span className="muted">
            {count(done)} of {count(total)}
          </span>
        </div>
        <div
          className="bar"
          role="progressbar"
          aria-label="Handed over"
          aria-valuemin={0}
          aria-valuemax={total}
          aria-valuenow={done}
        >
          <span style={{ width: `${total === 0 ? 100 : (done / total) * 100}%` }} />
        </div>
      </div>
      {trouble && (
        <Notice look="bad">{trouble} What was handed over stays; going on sends nothing twice.</Notice>
      )}
      {state === 'done' && (
        <p>
          {count(accepted)} accepted and safely stored, {count(outcomes.length - accepted)} not.
        </p>
      )}
      <div className="row">
        {state === 'sending' && <Button onClick={onPause}>Pause</Button>}
        {state === 'paused' && (
          <Button look="primary" onClick={onGoOn}>
            Go on
          </Button>
        )}
        {state !== 'sending' && <Button onClick={save}>Save the result</Button>}
        {state !== 'sending' && (
          <Button look="quiet" onClick={onClear}>
            {state === 'done' ? 'Another list' : 'Give the rest up'}
          </Button>
        )}
        {state === 'done' && (
          <Link className="button primary" href="/messages">
            Watch them
          </Link>
        )}
      </div>
    </section>
  )
}
