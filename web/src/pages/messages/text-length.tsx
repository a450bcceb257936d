/** How long a text is as an SMS, and which character makes it so. */

import type { Preview } from '../../../../sdk/src/index.ts'
import { count, counted } from '../../parts/show.tsx'

export function Judgement({ text, verdict }: { text: string; verdict: Preview | undefined }) {
  const characters = [...text].length
  return (
    <div className="small muted judgement" aria-live="polite">
      <span>{counted(characters, 'character')}</span>
      {verdict && text.trim() !== '' && (
        <>
          <span>
            {counted(verdict.segments, 'SMS segment')} · {verdict.encoding}
          </span>
          {verdict.culprit !== null && (
            <span>
              “<mark>{verdict.culprit}</mark>” is not in the SMS alphabet: each segment holds only{' '}
              {verdict.segments === 1 ? count(70) : count(67)} characters.
            </span>
          )}
        </>
      )}
    </div>
  )
}
