/** Buttons, and links that look like them. */

import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Icon, type IconName } from './icon.tsx'

type Look = 'primary' | 'danger' | 'quiet' | 'danger primary'

type Props = {
  children: ReactNode
  look?: Look
  isSmall?: boolean
  icon?: IconName
  isBusy?: boolean
  disabled?: boolean
  type?: 'button' | 'submit'
  onClick?: () => void
}

const classOf = (look: Look | undefined, isSmall: boolean) =>
  ['button', look, isSmall && 'small'].filter(Boolean).join(' ')

export const Button = ({
  children,
  look,
  isSmall = false,
  icon,
  isBusy = false,
  disabled = false,
  type = 'button',
  onClick,
}: Props) => (
  <button
    type={type}
    className={classOf(look, isSmall)}
    disabled={disabled || isBusy}
    aria-busy={isBusy}
    onClick={onClick}
  >
    {icon && <Icon name={icon} size={15} />}
    {children}
  </button>
)

export const ButtonLink = ({
  to,
  children,
  look,
  isSmall = false,
  icon,
}: Pick<Props, 'children' | 'look' | 'isSmall' | 'icon'> & { to: string }) => (
  <Link href={to} className={classOf(look, isSmall)}>
    {icon && <Icon name={icon} size={15} />}
    {children}
  </Link>
)
