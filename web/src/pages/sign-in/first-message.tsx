/** A message through the simulated phone, watched until it arrives; then a key, and the line that sends the next one. */

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiOf, baseOf } from '../../environment.ts'
import { Button } from '../../parts/button.tsx'
import { Secret, Snippet } from '../../parts/copy.tsx'
import { TextField } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Notice, Trouble } from '../../parts/page.tsx'

const staging = apiOf('staging')
const lookMs = 150
/** What the simulated phone reports, in order. */
const isOver = new Set(['delivered', 'read', 'failed', 'expired', 'canceled', 'unknown'])
const way = ['queued', 'sent', 'delivered'] as const

export function FirstMessage({ publicUrl, onDone }: { publicUrl: string; onDone: () => void }) {
  const [to, setTo] = useState('+15550101234')
  const [text, setText] = useState('Hello from Basestation')
  const [id, setId] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const send = async (event: React.SubmitEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      if ((await staging.devices()).data.length === 0)
        await staging.addDevice({ kind: 'simulated', name: 'Simulated phone' })
      setId((await staging.send({ to, message: text })).message_id)
    } catch (problem) {
      setError(problem)
    }
    setBusy(false)
  }
  return (
    <div className="stack wide">
      <p className="muted">
        Staging has a simulated phone: it behaves like a real one, and nobody is texted. Send something
        through it.
      </p>
      <form className="stack" onSubmit={send}>
        <TextField label="To" type="tel" value={to} onChange={setTo} required />
        <TextField label="Message" value={text} onChange={setText} required />
        {error !== undefined && <Trouble error={error} />}
        <div className="row">
          <Button type="submit" look={id === undefined ? 'primary' : 'quiet'} isBusy={isBusy}>
            {id === undefined ? 'Send it' : 'Send another'}
          </Button>
          {id === undefined && (
            <Button look="quiet" onClick={onDone}>
              Skip
            </Button>
          )}
        </div>
      </form>
      {id !== undefined && <Way key={id} id={id} />}
      {id !== undefined && <FirstKey publicUrl={publicUrl} to={to} onDone={onDone} />}
    </div>
  )
}

function Way({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ['staging', 'message', id],
    queryFn: async () => (await staging.message(id)).data,
    refetchInterval: ({ state }) => (isOver.has(state.data?.status ?? '') ? false : lookMs),
  })
  const seen = new Set<string>(data?.timeline.map(({ status }) => status))
  return (
    <>
      <ol className="way" aria-live="polite">
        {way.map(status => (
          <li key={status} className={seen.has(status) ? 'done' : undefined}>
            <span className="tick">{seen.has(status) && <Icon name="tick" size={14} />}</span>
            {status}
          </li>
        ))}
      </ol>
      {data?.error && <Notice look="bad">{data.error.detail}</Notice>}
    </>
  )
}

function FirstKey({ publicUrl, to, onDone }: { publicUrl: string; to: string; onDone: () => void }) {
  const [key, setKey] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const make = async () => {
    setBusy(true)
    try {
      setKey((await staging.addKey({ name: 'My first key' })).data.key)
    } catch (problem) {
      setError(problem)
    }
    setBusy(false)
  }
  const base = baseOf(publicUrl, 'staging')
  if (key === undefined)
    return (
      <div className="stack">
        <p>Programs send with an API key.</p>
        {error !== undefined && <Trouble error={error} />}
        <div className="row">
          <Button look="primary" isBusy={isBusy} onClick={make}>
            Create an API key
          </Button>
          <Button look="quiet" onClick={onDone}>
            Later
          </Button>
        </div>
      </div>
    )
  return (
    <div className="stack">
      <Notice look="warn">This is the only time the key is shown. Keep it where you keep passwords.</Notice>
      <Secret text={key} label="Copy the key" />
      <p>The same message from a terminal:</p>
      <Snippet
        text={`curl ${base}/sms/send \\\n  -H 'Authorization: Bearer ${key}' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"to": "${to}", "message": "Hello from a program"}'`}
      />
      <div className="row">
        <Button look="primary" onClick={onDone}>
          Open the dashboard
        </Button>
      </div>
    </div>
  )
}
