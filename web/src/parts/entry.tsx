/** Forms that let somebody in: signing in, setting up, an invitation, a lost password. */

import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { TextField } from './field.tsx'
import { Trouble } from './page.tsx'

type Props = {
  /** What its button says. */
  deed: string
  onSubmit: () => Promise<void>
  children: ReactNode
}

/** Sent once at a time; says what was wrong. */
export function EntryForm({ deed, onSubmit, children }: Props) {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: React.SubmitEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await onSubmit()
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="stack" onSubmit={submit}>
      {children}
      {error !== undefined && <Trouble error={error} />}
      <Button type="submit" look="primary" isBusy={isBusy}>
        {deed}
      </Button>
    </form>
  )
}

type FieldProps = {
  value: string
  onChange: (value: string) => void
  autoFocus?: boolean
  wrong?: string | undefined
}

export const EmailField = (props: FieldProps) => (
  <TextField label="E-mail" type="email" autoComplete="username" required {...props} />
)

export const NewPasswordField = ({ label = 'Password', ...props }: FieldProps & { label?: string }) => (
  <TextField
    label={label}
    type="password"
    autoComplete="new-password"
    help="At least 12 characters. A few words that belong together only for you are best."
    required
    {...props}
  />
)

/** The password that one has. */
export const PasswordField = ({ label = 'Password', ...props }: FieldProps & { label?: string }) => (
  <TextField label={label} type="password" autoComplete="current-password" required {...props} />
)

export const CodeField = ({ label, ...props }: FieldProps & { label: string }) => (
  <TextField label={label} autoComplete="one-time-code" inputMode="numeric" required {...props} />
)
