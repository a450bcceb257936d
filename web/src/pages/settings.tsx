/** Settings of the environment: number check, retention, words of opting out. */

import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Settings, SettingsRequest } from '../../../sdk/src/index.ts'
import { useAct } from '../act.ts'
import { differenceOf } from '../difference.ts'
import { useDraft } from '../draft.ts'
import { useApi, useEnvironment } from '../environment.ts'
import { Button } from '../parts/button.tsx'
import { AreaField, SelectField, TextField } from '../parts/field.tsx'
import { Found, Notice, Page } from '../parts/page.tsx'

export default function SettingsPage() {
  const api = useApi()
  const environment = useEnvironment()
  const query = useQuery({
    queryKey: [environment, 'settings'],
    queryFn: async () => (await api.settings()).data,
  })
  return (
    <Page title="Settings" about={`These settings apply to ${environment} only.`}>
      <Found query={query}>{settings => <Form settings={settings} />}</Found>
    </Page>
  )
}

/** Each as it stands in its field. */
type Fields = { [Name in keyof Settings]: Name extends 'number_check' ? Settings[Name] : string }

const fieldsOf = (settings: Settings): Fields => ({
  number_check: settings.number_check,
  default_ttl: String(settings.default_ttl / 3_600),
  forget_texts_after_days: String(settings.forget_texts_after_days ?? ''),
  remove_after_days: String(settings.remove_after_days ?? ''),
  opt_out_words: settings.opt_out_words.join(', '),
  opt_in_words: settings.opt_in_words.join(', '),
})

const settingsOf = (fields: Fields): Settings => ({
  number_check: fields.number_check,
  default_ttl: Math.round(Number(fields.default_ttl) * 3_600),
  forget_texts_after_days: days(fields.forget_texts_after_days),
  remove_after_days: days(fields.remove_after_days),
  opt_out_words: listed(fields.opt_out_words),
  opt_in_words: listed(fields.opt_in_words),
})

const listed = (text: string) =>
  text
    .split(/[\n,]+/)
    .map(word => word.trim())
    .filter(Boolean)
const days = (text: string) => (text.trim() === '' ? null : Number(text))

/** From this tab's own memory, which may be of an earlier version. */
function draftOf(text: string): Partial<Fields> {
  try {
    return text === '' ? {} : (JSON.parse(text) as Partial<Fields>)
  } catch {
    return {}
  }
}

/** What is typed stays, whatever becomes of the rest: saved, undone, or changed by somebody else. */
function Form({ settings }: { settings: Settings }) {
  const api = useApi()
  const [act, isBusy] = useAct()
  const [kept, setKept] = useState(settings)
  const [draft, keepDraft] = useDraft('settings', '')
  const [fields, setFields] = useState((): Fields => ({ ...fieldsOf(settings), ...draftOf(draft) }))
  const [isFound, setFound] = useState(draft !== '')
  const set =
    <Name extends keyof Fields>(name: Name) =>
    (value: Fields[Name]) =>
      setFields(before => ({ ...before, [name]: value }))
  const shown = settingsOf(fields)
  const { before, after } = differenceOf(kept, shown)
  // What was typed and not saved is there when the page is opened again.
  const typed = Object.fromEntries(Object.keys(after).map(name => [name, fields[name as keyof Fields]]))
  const unsaved = Object.keys(typed).length === 0 ? '' : JSON.stringify(typed)
  useEffect(() => keepDraft(unsaved), [keepDraft, unsaved])
  const isShorter =
    (shown.remove_after_days ?? Infinity) < (kept.remove_after_days ?? Infinity) ||
    (shown.forget_texts_after_days ?? Infinity) < (kept.forget_texts_after_days ?? Infinity)
  /** Shows these as they are at the gateway, and leaves the others alone. */
  const take = (current: Settings, names: readonly (keyof Settings)[]) => {
    const only = <Shape extends object>(from: Shape) =>
      Object.fromEntries(names.map(name => [name, from[name as keyof Shape]]))
    setKept(known => ({ ...known, ...only(current) }))
    setFields(typed => ({ ...typed, ...only(fieldsOf(current)) }))
  }
  const configure = async (change: SettingsRequest) => {
    const { data } = await api.configure(change)
    take(data, Object.keys(change) as (keyof Settings)[])
  }
  const save = async (event: React.SubmitEvent) => {
    event.preventDefault()
    await act(() => configure(after), {
      done: 'Saved.',
      // What was forgotten since cannot be brought back.
      ...(!isShorter && { undo: () => configure(before) }),
    })
  }
  return (
    <form className="stack wide compose" onSubmit={save}>
      {isFound && unsaved !== '' && (
        <Notice look="warn">
          You changed something here before, and did not save it.{' '}
          <Button
            isSmall
            onClick={() => {
              setFields(fieldsOf(kept))
              setFound(false)
            }}
          >
            Discard it
          </Button>
        </Notice>
      )}
      <section className="card stack">
        <h2>Numbers</h2>
        <SelectField
          label="Recipients are checked by"
          value={fields.number_check}
          onChange={set('number_check')}
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
          min={0.02}
          max={168}
          step="any"
          value={fields.default_ttl}
          onChange={set('default_ttl')}
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
            value={fields.forget_texts_after_days}
            onChange={set('forget_texts_after_days')}
            help="Days; empty: never. Numbers and states stay."
          />
          <TextField
            label="Remove messages after"
            type="number"
            min={7}
            value={fields.remove_after_days}
            onChange={set('remove_after_days')}
            help="Days; empty: never. Nothing of them stays."
          />
        </div>
        {isShorter && <Notice look="warn">Older data is erased permanently within minutes of saving.</Notice>}
      </section>
      <section className="card stack">
        <h2>Opting out</h2>
        <AreaField
          label="Words that opt their sender out"
          value={fields.opt_out_words}
          onChange={set('opt_out_words')}
          rows={3}
          help="A received text that is one of these, and nothing else. Separated by commas."
        />
        <AreaField
          label="Words that opt in again"
          value={fields.opt_in_words}
          onChange={set('opt_in_words')}
          rows={2}
        />
      </section>
      <div className="row">
        <Button type="submit" look="primary" isBusy={isBusy} disabled={Object.keys(after).length === 0}>
          Save
        </Button>
        <Button
          look="quiet"
          isBusy={isBusy}
          onClick={() =>
            act(() => configure({ opt_out_words: null, opt_in_words: null }), {
              done: 'Default words restored.',
            })
          }
        >
          Use the default words
        </Button>
      </div>
    </form>
  )
}
