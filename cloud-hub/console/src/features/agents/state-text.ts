import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { useReportedFault } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import type { AgentFault } from './agent-faults.ts'

const COLLECTOR_STATES = ['starting', 'running', 'reconnecting', 'failing', 'paused', 'stopped'] as const

/** The state of a collector: one word, and why it is so where there is more to say. */
export function useStateText(): (text: string, fault: Schemas['Fault'] | null | undefined) => string {
  const t = useTranslations('agents')
  const reported = useReportedFault()
  return (text, fault) => {
    const [, word, mark, detail = ''] = /^(\w+)(?:([:,]) *(.*))?$/.exec(text) ?? []
    const state = COLLECTOR_STATES.find((it) => it === word)
    if (!state) return reported(fault, text)
    return mark ? `${t(`states.${state}`)}${mark} ${reported(fault, detail)}` : t(`states.${state}`)
  }
}

/** What is wrong with an agent, in words. */
export function useAgentFaultText(): (fault: AgentFault) => string {
  const t = useTranslations('agents')
  const stateText = useStateText()
  const reported = useReportedFault()
  return ({ kind, detail, fault, collector }) => {
    const words = collector === undefined ? reported(fault, detail) : `${collector}: ${stateText(detail, fault)}`
    return t(`faultKinds.${kind}`, { detail: words })
  }
}

/** Clocks that differ by less agree, and values that were compared instead of a clock may be so late. */
const [AGREE_MS, LATE_MS] = [2_000, 60_000]

/** How far the clock of a source is off, and whether it dates readings. */
export function useSourceClockText(): (clock: Schemas['FleetAgent']['source_clocks'][string] | undefined) => string {
  const t = useTranslations('agents')
  const format = useFormat()
  return (clock) => {
    if (!clock) return '–'
    const { ahead_ms: aheadMs, is_used, is_exact } = clock
    const isRight = Math.abs(aheadMs) < (is_exact ? AGREE_MS : LATE_MS)
    const kind = isRight ? 'right' : !is_exact ? 'late' : aheadMs > 0 ? 'ahead' : 'behind'
    const offset = t(`sourceClocks.${kind}`, { span: format.duration(Math.abs(aheadMs) / 60_000) })
    return is_used ? offset : t('sourceClocks.unused', { offset })
  }
}

/** Codes of rejected readings that say everything; the reason of others names what is missing. */
const REJECTIONS = [
  'invalid_reading',
  'invalid_value',
  'invalid_timestamp',
  'timestamp_in_future',
  'timestamp_too_old',
  'invalid_machine_identifier',
  'invalid_metric_name',
  'invalid_unit',
  'invalid_raw_tag',
  'invalid_idempotency_key',
  'refused_by_storage',
  'series_limit',
] as const

/** Why the hub rejects readings, by the code of the rejection. */
export function useRejectionText(): (rejection: Schemas['FleetAgent']['dead_letters'][number]) => string {
  const t = useTranslations('agents')
  return ({ code, reason, machine_identifier: machine }) => {
    if (code === 'unknown_machine' && machine !== undefined) return t('unknownMachine', { machine })
    const known = REJECTIONS.find((it) => it === code)
    return known ? t(`rejections.${known}`) : reason
  }
}
