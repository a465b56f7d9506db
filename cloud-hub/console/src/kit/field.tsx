import { type ComponentProps, type KeyboardEvent, type ReactNode, useId } from 'react'

interface Frame {
  label: ReactNode
  hint?: ReactNode
  /** what is wrong with the value */
  fault?: string | undefined
  /** the label is for assistive technology only */
  isLabelHidden?: boolean
}

type Described = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }

/** Label, control, hint and fault of one value. */
export function Field({
  label,
  hint,
  fault,
  isLabelHidden,
  className = '',
  children,
}: Frame & { className?: string; children(it: Described): ReactNode }) {
  const id = useId()
  const ids = [hint ? `${id}-hint` : '', fault ? `${id}-fault` : ''].filter(Boolean).join(' ')
  return (
    <div className={`flex min-w-0 flex-col gap-1 ${className}`}>
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'text-sm font-medium'}>
        {label}
      </label>
      {children({ id, 'aria-describedby': ids || undefined, 'aria-invalid': fault ? true : undefined })}
      {hint ? (
        <p id={`${id}-hint`} className="text-sm text-soft">
          {hint}
        </p>
      ) : null}
      {fault ? (
        <p id={`${id}-fault`} className="text-sm font-medium text-critical">
          {fault}
        </p>
      ) : null}
    </div>
  )
}

/** Browsers refuse letters before the @ that are not ASCII (RFC 6531) in fields of type `email`, and the hub accepts them. */
const EMAIL = { type: 'text', inputMode: 'email', autoCapitalize: 'none', spellCheck: false } as const

export function TextField({ label, hint, fault, isLabelHidden, className, ...given }: Frame & ComponentProps<'input'>) {
  const rest = given.type === 'email' ? { ...given, ...EMAIL } : given
  return (
    <Field {...{ label, hint, fault, isLabelHidden, className }}>
      {(described) => <input {...described} {...rest} className="control w-full" />}
    </Field>
  )
}

export function TextArea({ label, hint, fault, isLabelHidden, className, ...rest }: Frame & ComponentProps<'textarea'>) {
  return (
    <Field {...{ label, hint, fault, isLabelHidden, className }}>
      {(described) => <textarea rows={3} {...described} {...rest} className="control w-full" />}
    </Field>
  )
}

/** The browser's own list of choices: it works on a phone, by keyboard and with assistive technology. */
export function SelectField({
  label,
  hint,
  fault,
  isLabelHidden,
  className,
  options,
  actsAtOnce,
  ...rest
}: Frame &
  ComponentProps<'select'> & {
    options: readonly (readonly [value: string, text: string])[]
    /** a choice changes something on the hub, or in the page */
    actsAtOnce?: boolean
  }) {
  return (
    <Field {...{ label, hint, fault, isLabelHidden, className }}>
      {(described) => (
        <select
          {...described}
          {...rest}
          data-acts-at-once={actsAtOnce || undefined}
          onKeyDown={actsAtOnce ? openWithArrows : undefined}
          className="control w-full"
        >
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** Arrow keys show the choices, as they do on macOS; elsewhere each press would choose the next one, which acts at once. */
function openWithArrows(event: KeyboardEvent<HTMLSelectElement>): void {
  const { key, altKey, currentTarget } = event
  if (altKey || (key !== 'ArrowUp' && key !== 'ArrowDown')) return
  // a browser that cannot tell whether its list is open keeps its keys
  if (!CSS.supports('selector(:open)') || currentTarget.matches(':open')) return
  event.preventDefault()
  currentTarget.showPicker()
}

export function CheckField({ label, hint, ...rest }: Pick<Frame, 'label' | 'hint'> & ComponentProps<'input'>) {
  const id = useId()
  return (
    <div className="flex gap-2.5">
      <input
        id={id}
        type="checkbox"
        {...rest}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="mt-1 size-4.5 shrink-0 accent-(--brand)"
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint ? (
          <p id={`${id}-hint`} className="text-sm text-soft">
            {hint}
          </p>
        ) : null}
      </div>
    </div>
  )
}
