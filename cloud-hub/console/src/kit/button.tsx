import type { ReactNode } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'

export type Look = 'primary' | 'plain' | 'quiet' | 'danger'

const BASE =
  'inline-flex items-center justify-center gap-1.5 rounded-lg px-3 min-h-9.5 text-sm font-medium no-underline select-none disabled:opacity-55 aria-disabled:opacity-55'
const LOOKS: Record<Look, string> = {
  primary: 'bg-brand text-on-brand hover:bg-brand-strong',
  plain: 'border border-control bg-paper text-ink hover:bg-raised',
  quiet: 'text-ink hover:bg-line/60',
  danger: 'border border-critical bg-paper text-critical hover:bg-raised',
}

export const buttonClass = (look: Look = 'plain', more = ''): string => `${BASE} ${LOOKS[look]} ${more}`

export function Button({
  look = 'plain',
  type = 'button',
  isPending,
  isDisabled,
  onPress,
  className = '',
  children,
  ...rest
}: {
  look?: Look
  type?: 'button' | 'submit'
  /** the request of this button is under way: further presses do nothing */
  isPending?: boolean
  isDisabled?: boolean
  onPress?: () => void
  className?: string
  children: ReactNode
  'aria-label'?: string
  'aria-pressed'?: boolean
  'aria-expanded'?: boolean
  'aria-controls'?: string
  'aria-haspopup'?: 'dialog'
  slot?: string | null
  /** adds fields to the form: a draft with more of them presses it */
  'data-adds-row'?: true
  form?: string
  /** tells the form by which button it was submitted */
  value?: string
}) {
  return (
    // `isPending` of React Aria announces the button by a reference, which is empty once its dialog has closed
    <AriaButton
      {...rest}
      type={isPending ? 'button' : type}
      aria-disabled={isPending || undefined}
      isDisabled={isDisabled}
      onPress={isPending ? undefined : onPress}
      className={buttonClass(look, className)}
    >
      {children}
    </AriaButton>
  )
}
