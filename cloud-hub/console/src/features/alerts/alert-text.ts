import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'

type Alert = Pick<Schemas['Alert'], 'message' | 'metric_name' | 'trigger_value' | 'threshold_value' | 'unit' | 'severity'>

/** What an alert says, in the reader's language and units. */
export function useAlertText(): (alert: Alert) => string {
  const t = useTranslations('alerts')
  const format = useFormat()
  return ({ message, metric_name, trigger_value, threshold_value, unit, severity }) => {
    const values = { value: format.value(trigger_value, unit), threshold: format.value(threshold_value, unit) }
    const metric = format.metric(metric_name)
    const [, machine, name, op] = /^(.+?): (.+) \(\S+ is .+, ([<>]=?|==) \S+\)\.$/.exec(message) ?? []
    if (machine && name && op) return t('composite', { machine, name, metric, op, ...values })
    const end = message.indexOf(`: ${metric_name} is `)
    const side = /, (above|below) the \w+ threshold of /.exec(message)?.[1]
    if (end < 0 || !side) return message
    return t('crossed', { machine: message.slice(0, end), metric, ...values, side, severity })
  }
}
