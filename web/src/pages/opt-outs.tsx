/** Who wants no messages; and forgetting somebody altogether. */

import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAct } from '../act.ts'
import { useApi, useEnvironment } from '../environment.ts'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { actions, DataTable } from '../parts/data-table.tsx'
import { TextField } from '../parts/field.tsx'
import { More } from '../parts/more.tsx'
import { Empty, Found, Page } from '../parts/page.tsx'
import { Person } from '../parts/person.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { counted, Time } from '../parts/show.tsx'
import { useToast } from '../parts/toast.tsx'

const sources = {
  message: 'wrote STOP',
  api: 'added here or by a program',
  'command line': 'added on the machine',
}
const pageSize = 50

export default function OptOuts() {
  const api = useApi()
  const environment = useEnvironment()
  const [sheet, setSheet] = useState<'add' | 'erase'>()
  const query = useInfiniteQuery({
    queryKey: [environment, 'opt-outs'],
    queryFn: ({ pageParam }) => api.optOuts({ limit: pageSize, ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: page => page.next_cursor ?? undefined,
  })
  const add = (
    <Button look="primary" icon="plus" onClick={() => setSheet('add')}>
      Add a number
    </Button>
  )
  return (
    <Page
      title="Opt-outs"
      about="These numbers get no messages. Replying STOP adds a number, START removes it."
      actions={
        <>
          <Button onClick={() => setSheet('erase')}>Erase personal data…</Button>
          {add}
        </>
      }
    >
      <Found query={query}>
        {({ pages }) => {
          const all = pages.flatMap(page => page.data)
          return (
            <div className="card flush">
              {all.length === 0 ? (
                <Empty title="Nobody has opted out">
                  <p>When somebody does, every later message to them is refused.</p>
                </Empty>
              ) : (
                <DataTable heads={['Number', 'How', 'Since', actions]}>
                  {all.map(({ number, source, created_at: at }) => (
                    <tr key={`${number}${at}`}>
                      <td>
                        {number === null ? (
                          <span className="muted">forgotten</span>
                        ) : (
                          <Person number={number} />
                        )}
                      </td>
                      <td className="muted">{sources[source]}</td>
                      <td className="muted">
                        <Time at={at} />
                      </td>
                      <td className="acts">{number !== null && <TakeOff number={number} />}</td>
                    </tr>
                  ))}
                </DataTable>
              )}
              <More query={query} label="Show more" />
            </div>
          )
        }}
      </Found>
      {sheet === 'add' && <Add onClose={() => setSheet(undefined)} />}
      {sheet === 'erase' && <Erase onClose={() => setSheet(undefined)} />}
    </Page>
  )
}

function TakeOff({ number }: { number: string }) {
  const api = useApi()
  const [act, isBusy] = useAct()
  return (
    <Button
      isSmall
      isBusy={isBusy}
      onClick={() =>
        act(() => api.optIn(number), {
          done: `${number} may be written to again.`,
          undo: () => api.optOut(number),
        })
      }
    >
      Allow messages again
    </Button>
  )
}

function Add({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const [act, isBusy, wrong] = useAct('/number')
  const [number, setNumber] = useState('')
  return (
    <Sheet title="Add a number" onClose={onClose}>
      <form
        className="stack"
        onSubmit={async event => {
          event.preventDefault()
          const added = await act(() => api.optOut(number), { done: `${number} is sent nothing more.` })
          if (added) onClose()
        }}
      >
        <TextField
          label="Number"
          type="tel"
          value={number}
          onChange={setNumber}
          placeholder="+14155550123"
          help="Queued messages to this number are canceled."
          required
          autoFocus
          wrong={wrong('/number')}
        />
        <div className="foot-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={isBusy}>
            Add it
          </Button>
        </div>
      </form>
    </Sheet>
  )
}

function Erase({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const [act, isBusy] = useAct()
  const { say } = useToast()
  const [number, setNumber] = useState('')
  return (
    <Confirm
      title="Erase personal data"
      deed="Erase for good"
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={async () => {
        const erased = await act(async () => {
          const { data } = await api.erase(number)
          say(
            `Forgotten: ${counted(data.messages + data.received, 'message')}, ${counted(data.files, 'file')}.`,
          )
        })
        if (erased) onClose()
      }}
    >
      <p>
        Every text, file and number of theirs is blanked in this environment, sent and received. It cannot be
        taken back. If they opted out, that stays.
      </p>
      <TextField
        label="Number"
        type="tel"
        value={number}
        onChange={setNumber}
        placeholder="+14155550123"
        required
        autoFocus
      />
    </Confirm>
  )
}
