/** One message to many people: paste or drop a list, see what is wrong with it, send it, keep the result. */

import { useState } from 'react'
import { Link } from 'wouter'
import { useEnvironment } from '../../environment.ts'
import { Button } from '../../parts/button.tsx'
import { AreaField, SelectField } from '../../parts/field.tsx'
import { Notice, Page } from '../../parts/page.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { count, counted } from '../../parts/show.tsx'
import { useToast } from '../../parts/toast.tsx'
import { DeviceChoice, SendTime, sendAtOf } from '../messages/send-options.tsx'
import { BulkCheck, useLengths, useOptedOut } from './check.tsx'
import { numberColumn, type Recipient, recipientsOf, type Table, unknownPlaceholders } from './list.ts'
import { BulkProgress } from './progress.tsx'
import { mostRows, readTable } from './read.ts'
import { useRun } from './run.ts'

export default function Bulk() {
  const run = useRun(useEnvironment())
  return (
    <Page
      title="Send to many"
      about={
        <>
          Keep this page open until all messages are accepted. They are in{' '}
          <Link href="/messages">Messages</Link> afterwards.
        </>
      }
    >
      {run.progress ? (
        <BulkProgress progress={run.progress} onPause={run.pause} onGoOn={run.goOn} onClear={run.clear} />
      ) : (
        <Prepare onStart={run.start} />
      )}
    </Page>
  )
}

type Start = (recipients: readonly Recipient[], options: { deviceId?: string; sendAt?: string }) => void

function Prepare({ onStart }: { onStart: Start }) {
  const [pasted, setPasted] = useState('')
  const [table, setTable] = useState<Table>()
  const [column, setColumn] = useState(0)
  const [template, setTemplate] = useState('')
  const [device, setDevice] = useState('')
  const [when, setWhen] = useState('')
  const optedOut = useOptedOut(table, column, template)
  const take = (text: string) => {
    setPasted(text)
    const read = readTable(text)
    setTable(read.rows.length === 0 ? undefined : read)
    setColumn(numberColumn(read))
  }
  const recipients = table ? recipientsOf(table, column, template, optedOut) : []
  const fine = recipients.filter(({ verdict }) => verdict === 'fine')
  const unknown = unknownPlaceholders(template, table?.columns ?? [])
  const isTooLong = recipients.length > mostRows
  const sendAt = sendAtOf(when)
  const lengths = useLengths(recipients)
  const [isConfirming, setConfirming] = useState(false)
  const environment = useEnvironment()
  const deed = `${sendAt ? 'Schedule' : 'Send'} to ${counted(fine.length, 'person', 'people')}`
  return (
    <form
      className="stack wide"
      onSubmit={event => {
        event.preventDefault()
        setConfirming(true)
      }}
    >
      <section className="card stack">
        <h2>Recipients</h2>
        <FileDrop onText={take} />
        {pasted.length > longestShown ? (
          <div className="row">
            <strong>{counted(recipients.length, 'row')} from your list</strong>
            <Button isSmall onClick={() => take('')}>
              Clear
            </Button>
          </div>
        ) : (
          <AreaField
            label="Numbers, one a line, or a table with commas"
            value={pasted}
            onChange={take}
            rows={6}
            placeholder={'name,number\nAnn,+15550101234\nBob,+15550105678'}
          />
        )}
        {table && table.columns.length > 1 && (
          <SelectField
            label="Column with the numbers"
            value={String(column)}
            onChange={value => setColumn(Number(value))}
            options={table.columns.map((name, index) => ({ value: String(index), label: name }))}
          />
        )}
      </section>
      <section className="card stack">
        <h2>Message</h2>
        <AreaField
          label="Message"
          value={template}
          onChange={setTemplate}
          rows={4}
          help={
            table && table.columns.length > 1
              ? `Insert a column: ${table.columns.map(name => `{{${name}}}`).join(' ')}. For empty cells: {{${table.columns[0]}|friend}}`
              : undefined
          }
        />
        {unknown.length > 0 && (
          <Notice look="warn">
            No column is called {unknown.map(name => `{{${name}}}`).join(', ')}: it would be sent as it
            stands.
          </Notice>
        )}
        <div className="pair">
          <DeviceChoice value={device} onChange={setDevice} />
          <SendTime value={when} onChange={setWhen} />
        </div>
      </section>
      {table && <BulkCheck recipients={recipients} template={template} deviceId={device} lengths={lengths} />}
      {isTooLong && <Notice look="bad">At most {count(mostRows)} rows at a time. Split the list.</Notice>}
      <div className="row">
        <Button
          type="submit"
          look="primary"
          disabled={fine.length === 0 || template.trim() === '' || isTooLong || unknown.length > 0}
        >
          {fine.length === 0 ? 'Send' : `${deed}…`}
        </Button>
      </div>
      {isConfirming && (
        <Sheet title={`${deed}?`} onClose={() => setConfirming(false)}>
          <dl className="details-list">
            <dt>Environment</dt>
            <dd>{environment}</dd>
            <dt>People</dt>
            <dd>{count(fine.length)}</dd>
            <dt>SMS segments</dt>
            <dd>{lengths ? `${lengths.isWhole ? '' : 'at least '}${count(lengths.sum)}` : 'not known'}</dd>
            <dt>Not sent</dt>
            <dd>{count(recipients.length - fine.length)}</dd>
            <dt>First message</dt>
            <dd className="pre">{fine[0]?.text}</dd>
          </dl>
          <div className="foot-actions">
            <Button onClick={() => setConfirming(false)}>Back</Button>
            <Button
              look="primary"
              onClick={() =>
                onStart(recipients, {
                  ...(device !== '' && { deviceId: device }),
                  ...(sendAt !== undefined && { sendAt }),
                })
              }
            >
              {deed}
            </Button>
          </div>
        </Sheet>
      )}
    </form>
  )
}

/** Longer ones are not shown: whatever is typed into a part of a list would be taken for the whole. */
const longestShown = 20_000
const largestFile = 20 * 1_048_576

function FileDrop({ onText }: { onText: (text: string) => void }) {
  const { complain, say } = useToast()
  const read = async (file: File | undefined) => {
    if (!file) return
    if (file.size > largestFile) return say('The file is larger than 20 MB. Split it.')
    try {
      onText(await file.text())
    } catch (error) {
      complain(error)
    }
  }
  return (
    <label
      className="drop"
      onDragOver={event => event.preventDefault()}
      onDrop={event => {
        event.preventDefault()
        void read(event.dataTransfer.files[0])
      }}
    >
      <span>Drop a CSV file here, or </span>
      <input
        type="file"
        accept=".csv,.txt,.tsv,text/csv,text/plain"
        onChange={event => void read(event.target.files?.[0])}
      />
    </label>
  )
}
