/** Something to fill in, with its name, a word of help, and what is wrong with it. */

import { type ReactNode, useId } from 'react'

type Common = { label: string; help?: ReactNode; wrong?: string | undefined }

type Shown = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean | undefined }

/** For anything that is not one of those below. */
export function Field({ label, help, wrong, children }: Common & { children: (shown: Shown) => ReactNode }) {
  const id = useId()
  const about = [help ? `${id}-help` : '', wrong ? `${id}-wrong` : ''].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': about || undefined, 'aria-invalid': wrong ? true : undefined })}
      {wrong && (
        <span className="wrong" id={`${id}-wrong`}>
          {wrong}
        </span>
      )}
      {help && (
        <span className="help" id={`${id}-help`}>
          {help}
        </span>
      )}
    </div>
  )
}

type TextProps = Common & {
  value: string
  onChange: (value: string) => void
  type?: 'text' | 'email' | 'password' | 'tel' | 'url' | 'number' | 'datetime-local' | 'date'
  placeholder?: string
  autoComplete?: string
  required?: boolean
  autoFocus?: boolean
  min?: number | string
  max?: number | string
  step?: number | 'any'
  inputMode?: 'numeric' | 'tel' | 'text'
}

export const TextField = ({
  label,
  help,
  wrong,
  onChange,
  autoComplete = 'off',
  autoFocus = false,
  ...rest
}: TextProps) => (
  <Field label={label} help={help} wrong={wrong}>
    {shown => (
      <input
        {...shown}
        {...rest}
        className="input"
        autoComplete={autoComplete}
        // biome-ignore lint/a11y/noAutofocus: the only thing to do where it is used
        autoFocus={autoFocus}
        data-autofocus={autoFocus || undefined}
        onChange={event => onChange(event.target.value)}
      />
    )}
  </Field>
)

type AreaProps = Common & {
  value: string
  onChange: (value: string) => void
  rows?: number
  placeholder?: string
}

export const AreaField = ({ label, help, wrong, onChange, ...rest }: AreaProps) => (
  <Field label={label} help={help} wrong={wrong}>
    {shown => (
      <textarea {...shown} {...rest} className="input" onChange={event => onChange(event.target.value)} />
    )}
  </Field>
)

type SelectProps<Value extends string> = Common & {
  value: Value
  onChange: (value: Value) => void
  options: readonly { value: Value; label: string }[]
}

export const SelectField = <Value extends string>({
  label,
  help,
  wrong,
  value,
  onChange,
  options,
}: SelectProps<Value>) => (
  <Field label={label} help={help} wrong={wrong}>
    {shown => (
      <select
        {...shown}
        className="input"
        value={value}
        onChange={event => onChange(event.target.value as Value)}
      >
        {options.map(option => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    )}
  </Field>
)

export const Check = ({
  children,
  checked,
  onChange,
}: {
  children: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
}) => (
  <label className="check">
    <input type="checkbox" checked={checked} onChange={event => onChange(event.target.checked)} />
    <span>{children}</span>
  </label>
)
