import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useSignedInFormat } from '../i18n/format-context.ts'
import { Button } from './button.tsx'
import type { FieldConflict, Question } from './conflict-store.ts'
import { DialogActions } from './dialog-parts.tsx'

const SECRET = '***'
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/

/** What the form calls a field, and the words of its choices. */
function controlOf(form: HTMLElement | null, path: string): { label: string | null; choices: Map<string, string> } {
  const name = path.split('.').at(-1) as string
  const controls = [
    ...(form?.querySelectorAll<HTMLInputElement | HTMLSelectElement>(`[name="${name}"], [name$="_${name}"]`) ?? []),
  ]
  const labelOf = (control: HTMLInputElement | HTMLSelectElement) => control.labels?.[0]?.textContent ?? ''
  const choices = controls.flatMap((control) =>
    control instanceof HTMLSelectElement
      ? [...control.options].map(({ value, text }) => [value, text] as const)
      : [[control.value, labelOf(control)] as const],
  )
  const [control, ...others] = controls
  // several are the choices of one field
  if (!control || others.length > 0) return { label: null, choices: new Map(choices) }
  return { label: labelOf(control) || null, choices: new Map(control instanceof HTMLSelectElement ? choices : []) }
}

/** Shows two values of each field that two people have changed, and lets the person choose. */
export default function ConflictFields({
  question: { conflicts, show: inWords, answer },
  form,
}: {
  question: Question
  form: HTMLElement | null
}) {
  const t = useTranslations()
  const fieldName = useTranslations('fieldNames') as unknown as { (key: string): string; has(key: string): boolean }
  const format = useSignedInFormat()
  const [chosen, setChosen] = useState<Record<string, boolean>>({})
  const nameOf = (path: string) => {
    const last = path.split('.').at(-1) as string
    return controlOf(form, path).label ?? (fieldName.has(last) ? fieldName(last) : last.replaceAll('_', ' '))
  }
  const show = (path: string, value: unknown, isYours: boolean): string => {
    if (value === null || value === undefined || value === '') return t('conflict.none')
    const words = inWords?.(path, value)
    if (words !== undefined) return words
    if (Array.isArray(value))
      return value.length === 0 ? t('conflict.none') : value.map((item) => show(path, item, isYours)).join('\n')
    if (typeof value === 'boolean') return t(value ? 'conflict.yes' : 'conflict.no')
    if (typeof value === 'object')
      return Object.values(value)
        .filter((inner) => inner !== null && inner !== '')
        .map((inner) => show(path, inner, isYours))
        .join(' · ')
    const text = String(value)
    if (text === SECRET) return t('conflict.storedSecret')
    if (INSTANT.test(text) && format) return format.dateTime(text)
    return controlOf(form, path).choices.get(text) ?? text
  }
  const isSecret = ({ theirs }: FieldConflict) => theirs === SECRET
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        answer(conflicts.map(({ path }) => path).filter((path) => chosen[path]))
      }}
    >
      <p>{t('conflict.text')}</p>
      {conflicts.map((conflict) => (
        <fieldset key={conflict.path} className="flex flex-col gap-2">
          <legend className="mb-1 font-semibold">{nameOf(conflict.path)}</legend>
          {([true, false] as const).map((isYours) => (
            <label key={String(isYours)} className="flex gap-2.5 rounded-lg border border-line p-3">
              <input
                type="radio"
                name={`choice ${conflict.path}`}
                required
                className="mt-1 size-4.5 shrink-0 accent-(--brand)"
                onChange={() => setChosen({ ...chosen, [conflict.path]: isYours })}
              />
              <span className="min-w-0">
                <span className="block text-sm text-soft">{t(isYours ? 'conflict.yours' : 'conflict.theirs')}</span>
                <span className="block break-words whitespace-pre-line">
                  {isYours && isSecret(conflict)
                    ? t('conflict.enteredSecret')
                    : show(conflict.path, isYours ? conflict.yours : conflict.theirs, isYours)}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
      ))}
      <DialogActions>
        <Button onPress={() => answer(null)}>{t('conflict.back')}</Button>
        <Button look="primary" type="submit">
          {t('common.save')}
        </Button>
      </DialogActions>
    </form>
  )
}
