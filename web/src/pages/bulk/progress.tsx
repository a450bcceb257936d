/** How far a bulk send has got, and its result as a file. */

import { Link } from 'wouter'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/page.tsx'
import { count } from '../../parts/show.tsx'
import { saveFile } from '../../save-file.ts'
import { resultFile } from './list.ts'
import type { Progress } from './run.ts'

type Props = { progress: Progress; onPause: () => void; onGoOn: () => void; onClear: () => void }

export function BulkProgress({ progress, onPause, onGoOn, onClear }: Props) {
  const { state, done, total, outcomes, trouble } = progress
  const accepted = outcomes.filter(({ outcome }) => outcome === 'accepted').length
  const save = () => saveFile('basestation-result.csv', resultFile(outcomes))
  return (
    <section className="card stack wide compose">
      <div className="stack tight">
        <div className="row spread">
          <strong>{state === 'done' ? 'All accepted' : state === 'paused' ? 'Paused' : 'Sending…'}</strong>
          <span className="muted">
            {count(done)} of {count(total)}
          </span>
        </div>
        <div
          className="bar"
          role="progressbar"
          aria-label="Accepted"
          aria-valuemin={0}
          aria-valuemax={total}
          aria-valuenow={done}
        >
          <span style={{ width: `${total === 0 ? 100 : (done / total) * 100}%` }} />
        </div>
      </div>
      {trouble && (
        <Notice look="bad">{trouble} What was accepted stays; going on sends nothing twice.</Notice>
      )}
      {state !== 'done' && (
        <Notice look="warn">
          Keep this page open until all are accepted: the rest of the list exists only here.
        </Notice>
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
            Continue
          </Button>
        )}
        {state !== 'sending' && <Button onClick={save}>Save the result</Button>}
        {state !== 'sending' && (
          <Button look="quiet" onClick={onClear}>
            {state === 'done' ? 'Another list' : 'Cancel the rest'}
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
