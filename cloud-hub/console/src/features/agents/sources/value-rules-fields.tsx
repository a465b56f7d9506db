import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { TextArea, TextField } from '../../../kit/field.tsx'
import { numbersIn, numbersText, ruleCount, textsIn, textsText, type ValueRules } from './value-rules.ts'

/** The rules for the values of a tag, closed until a person opens them. */
export function ValueRulesFields({
  tag,
  rules,
  onChange,
  children,
}: {
  /** its address, for assistive technology */
  tag: string
  rules: ValueRules
  onChange(part: ValueRules): void
  /** further fields of the tag */
  children?: ReactNode
}) {
  const t = useTranslations('sources')
  const numberOf = (text: string) => (text === '' ? undefined : Number(text))
  return (
    <details className="col-span-full">
      <summary className="cursor-pointer text-sm">
        {t('rules', { count: ruleCount(rules) })}
        <span className="sr-only"> ({tag})</span>
      </summary>
      <div className="grid gap-3 py-2 sm:grid-cols-2">
        {children}
        <TextField
          label={t('invalid')}
          hint={t('invalidHint')}
          defaultValue={numbersText(rules.invalid)}
          onChange={({ target }) => onChange({ invalid: numbersIn(target.value) })}
        />
        <TextArea
          label={t('texts')}
          hint={t('textsHint')}
          rows={2}
          defaultValue={textsText(rules.values)}
          onChange={({ target }) => onChange({ values: textsIn(target.value) })}
        />
        <TextField
          label={t('min')}
          type="number"
          step="any"
          defaultValue={rules.min}
          onChange={({ target }) => onChange({ min: numberOf(target.value) })}
        />
        <TextField
          label={t('max')}
          type="number"
          step="any"
          defaultValue={rules.max}
          onChange={({ target }) => onChange({ max: numberOf(target.value) })}
        />
      </div>
    </details>
  )
}
