import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { useSite } from '../../app/site.ts'
import { useFormat } from '../../i18n/format.tsx'
import { overviewQuery } from './overview-query.ts'
import { useSince } from './use-since.ts'

/** In one sentence the machine that is worst off: what it violates, since when, and who is on it. */
export function WorstMachine() {
  const t = useTranslations('overview')
  const format = useFormat()
  const { value } = format
  const sinceOf = useSince()
  const { data } = useQuery(overviewQuery({ group_id: useSite() }))
  // a machine may be in trouble without a violation
  const worst = data?.items.find(({ violations }) => violations.length > 0)
  const [violation] = worst?.violations ?? []
  // the line keeps its place
  if (!worst || !violation) {
    const isCalm = data && data.pagination.total > 0 && data.counts.critical + data.counts.warning === 0
    return isCalm ? t('noViolation') : '\u00a0'
  }
  const { metric_name, unit, severity } = violation
  const { since, who } = sinceOf(violation)
  const reading = worst.readings.find((it) => it.metric_name === metric_name && it.unit === unit)
  return (
    <>
      {t('worst')}{' '}
      <Link to="/machines/$machineId" params={{ machineId: worst.machine_id }} className="font-medium">
        {worst.machine_name}
      </Link>
      <span className={severity === 'critical' ? 'text-critical' : 'text-warning'}>
        {' · '}
        {format.metric(metric_name)} {reading ? value(reading.value, unit) : ''}
      </span>
      {' · '}
      {since}
      {' · '}
      {who}
    </>
  )
}
