import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'

/** Conditions in words, such as "Vibration > 4.5 for 10 s and Temperature > 75". */
export function useExpressionText(): (
  expression: Schemas['CompositeRule']['expression'],
  unitOf: (metric: string) => string | undefined,
) => string {
  const t = useTranslations('rules')
  const format = useFormat()
  return ({ operator = 'AND', conditions }, unitOf) =>
    conditions
      .map(({ metric, op, value, duration_seconds }) => {
        const unit = unitOf(metric) ?? ''
        // a signal of two states is "on"; how it compares with one is about numbers
        const words = `${format.metric(metric)} ${op} ${op === '==' ? format.value(value, unit) : format.limit(value, unit)}`
        return duration_seconds ? t('forTime', { words, time: format.duration(duration_seconds / 60) }) : words
      })
      .join(` ${t(operator === 'AND' ? 'and' : 'or')} `)
}
