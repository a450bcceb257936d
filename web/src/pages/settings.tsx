/** Settings of the environment: number check, retention, words of opting out. */

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SettingsResponse } from '../../../sdk/src/index.ts'
import { useAct } from '../act.ts'
import { useApi, useEnvironment } from '../environment.ts'
import { Button } from '../parts/button.tsx'
import { AreaField, SelectField, TextField } from '../parts/field.tsx'
import { Found, Notice, Page } from '../parts/page.tsx'

type Settings = SettingsResponse['data']

export default function SettingsPage() {
  const api = useApi()
  const environment = useEnvironment()
  // What somebody else changes must not take away what is being typed.
  const [version, setVersion] = useState(1)
  const query = useQuery({
    queryKey: [environment, 'settings'],
    queryFn: async () => (await api.settings()).data,
  })
  const beginAnew = async () => {
    await query.refetch()
    setVersion(before => before + 1)
  }
  return (
    <Page title="Settings" about={`They hold for ${environment} only.`}>
      <Found query={query}>
        {settings => <Form key={version} settings={settings} onUndone={beginAnew} />}
      </Found>
    </Page>
  )
}

const listed = (text: string) =>
  text
    .split(/[\n,]+/)
    .map(word => word.trim())
    .filter(Boolean)
const days = (text: string) => (text.trim() === '' ? null : Number(text))

function Form({ settings, onUndone }: { settings: Settings; onUndone: () => Promise<void> }) {
  const api = useApi()
  const [act, isBusy] = useAct()
  const [kept, setKept] = useState(settings)
  const [check, setCheck] = useState(settings.number_check)
  const [hours, setHours] = useState(String(settings.default_ttl / 3_600))
  const [texts, setTexts] = useState(String(settings.forget_texts_after_days ?? ''))
  const [whole, setWhole] = useState(String(settings.remove_after_days ?? ''))
  const [outWords, setOutWords] = useState(settings.opt_out_words.join(', '))
  const [inWords, setInWords] = useState(settings.opt_in_words.join(', '))
  const shown: Settings = {
    number_check: check,
    default_ttl: Math.round(Number(hours) * 3_600),
    forget_texts_after_days: days(texts),
    remove_after_days: days(whole),
    opt_out_words: listed(outWords),
    opt_in_words: listed(inWords),
  }
  const changed = (Object.keys(shown) as (keyof Settings)[]).filter(
    name => JSON.stringify(shown[name]) !== JSON.stringify(kept[name]),
  )
  const isShorter =
    (shown.remove_after_days ?? Infinity) < (kept.remove_after_days ?? Infinity) ||
    (shown.forget_texts_after_days ?? Infinity) < (kept.forget_texts_after_days ?? Infinity)
  const save = async (event: React.SubmitEvent) => {
    event.preventDefault()
    // Only what was changed here: somebody else may have changed the rest meanwhile.
    const only = (from: Settings) => Object.fromEntries(changed.map(name => [name, from[name]]))
    const isSaved = await act(() => api.configure(only(shown)), {
      done: 'Saved.',
      // What was forgotten since cannot be brought back.
      ...(!isShorter && { undo: () => api.configure(only(kept)).then(onUndone) }),
    })
    if (isSaved) setKept(shown)
  }
  return (
    <form className="stack wide compose" onSubmit={save}>
      <section className="card stack">
        <h2>Numbers</h2>
        <SelectField
          label="Recipients are checked by"
          value={check}
          onChange={setCheck}
          options={[
            { value: 'shape', label: 'their shape: anything that looks international' },
            { value: 'plan', label: 'the numbering plans: it must also exist there' },
          ]}
          help="Plans catch more typing mistakes. They age, and may refuse a real number."
        />
      </section>
      <section className="card stack">
        <h2>Sending</h2>
        <TextField
          label="Hours that a message may wait for a device"
          type="number"
          min={1 / 60}
          max={168}
          step="any"
          value={hours}
          onChange={setHours}
          help="For messages that have no ttl of their own. After it they end as expired. Usually 24."
          required
        />
      </section>
      <section className="card stack">
        <h2>Retention</h2>
        <div className="pair">
          <TextField
            label="Forget texts and files after"
            type="number"
            min={1}
            value={texts}
            onChange={setTexts}
            help="Days; empty: never. Numbers and states stay."
          />
          <TextField
            label="Remove messages after"
            type="number"
            min={7}
            value={whole}
            onChange={setWhole}
            help="Days; empty: never. Nothing of them stays."
          />
        </div>
        {isShorter && (
          <Notice look="warn">What is older is forgotten within minutes of saving, for good.</Notice>
        )}
      </section>
      <section className="card stack">
        <h2>Opting out</h2>
        <AreaField
          label="Words that opt their sender out"
          value={outWords}
          onChange={setOutWords}
          rows={3}
          help="A received text that is one of these, and nothing else. Separated by commas."
        />
        <AreaField label="Words that opt in again" value={inWords} onChange={setInWords} rows={2} />
      </section>
      <div className="row">
        <Button type="submit" look="primary" isBusy={isBusy} disabled={changed.length === 0}>
          Save
        </Button>
        <Button
          look="quiet"
          isBusy={isBusy}
          onClick={async () => {
            const usual = () => api.configure({ opt_out_words: null, opt_in_words: null })
            if (await act(usual, { done: 'The usual words again.' })) await onUndone()
          }}
        >
          Use the usual words
        </Button>
      </div>
    </form>
  )
}
