import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'

/** What an alert says beside the name of its machine. */
export type Facts = NonNullable<Schemas['WorkOrder']['title_facts']>

/** What an alert says, in the reader's language and units. @returns null for an alert from before its facts were stored */
export function useFactsText(): (facts: Facts, machine: string) => string | null {
  const t = useTranslations('alerts')
  const format = useFormat()
  return ({ metric_name, trigger_value, threshold_value, unit, severity, comparison: op, rule_name: name }, machine) => {
    if (!op) return null
    // a signal of two states is "on"; how it compares with one is about numbers
    const values = {
      value: format.value(trigger_value, unit),
      threshold: format[op === '==' ? 'value' : 'limit'](threshold_value, unit),
    }
    const metric = format.metric(metric_name)
    if (name !== null) return t('composite', { machine, name, metric, op, ...values })
    return t('crossed', { machine, metric, ...values, side: op.startsWith('>') ? 'above' : 'below', severity })
  }
}

type Alert = Facts & Pick<Schemas['Alert'], 'machine_name' | 'message'>

/** What an alert says, in the reader's language and units; one from before its facts were stored as it was stored. */
export function useAlertText(): (alert: Alert) => string {
  const textOf = useFactsText()
  return (alert) => textOf(alert, alert.machine_name) ?? alert.message
}
