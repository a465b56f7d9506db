import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { useFormat } from '../../i18n/format.tsx'
import { Quantity } from '../../kit/quantity.tsx'
import { Dot, Status } from '../../kit/status.tsx'
import type { OverviewMachine } from './overview-query.ts'
import { Sparkline } from './sparkline.tsx'
import { useSince } from './use-since.ts'

type Violation = OverviewMachine['violations'][number]

const TONES = { critical: 'text-critical', warning: 'text-warning', info: 'text-ink' } as const
const EDGES = {
  critical: 'border-l-critical',
  warning: 'border-l-warning',
  offline: 'border-l-offline',
  healthy: 'border-l-healthy',
} as const
const LINES = 5

/** A machine with what it violates, since when, who is on it and its last hour, then the metrics that the person pinned. */
export function Card({ machine, trend }: { machine: OverviewMachine; trend: OverviewMachine['trend'] | undefined }) {
  const t = useTranslations('status')
  const sinceOf = useSince()
  const [first, second] = machine.violations
  const others = machine.readings.filter(({ metric_name }) => !machine.violations.some((it) => it.metric_name === metric_name))
  const left = first ? 1 - (second ? 1 : 0) : LINES
  return (
    <li className="flex min-w-0 pb-3">
      <Link
        to="/machines/$machineId"
        params={{ machineId: machine.machine_id }}
        className={`flex w-full min-w-0 flex-col rounded-lg border border-l-4 border-line bg-paper px-3 py-2 text-ink no-underline hover:bg-raised ${EDGES[machine.status]}`}
      >
        <span className="flex items-baseline justify-between gap-2">
          <span className="min-w-0 truncate font-medium" title={`${machine.machine_name} (${machine.machine_identifier})`}>
            {machine.machine_name}
          </span>
          <span className="text-sm">
            <Status tone={machine.status}>{t(machine.status)}</Status>
          </span>
        </span>
        {first ? (
          <>
            <Worst violation={first} machine={machine} trend={trend} />
            <span className="truncate text-sm">{sinceOf(first).since}</span>
            <span className="truncate text-sm">{sinceOf(first).who}</span>
          </>
        ) : null}
        {second ? <Line violation={second} machine={machine} /> : null}
        {others.slice(0, Math.max(0, left)).map((reading) => (
          <Reading key={`${reading.metric_name} ${reading.unit}`} reading={reading} />
        ))}
      </Link>
    </li>
  )
}

const readingOf = ({ readings }: OverviewMachine, { metric_name, unit }: Violation) =>
  readings.find((it) => it.metric_name === metric_name && it.unit === unit)

/** The metric that is beyond its threshold, in the colour of its severity. */
function Worst({
  violation,
  machine,
  trend,
}: {
  violation: Violation
  machine: OverviewMachine
  trend: OverviewMachine['trend'] | undefined
}) {
  const format = useFormat()
  const { value } = format
  const { metric_name, unit, threshold_value, is_above, severity } = violation
  const reading = readingOf(machine, violation)
  return (
    <span className={`flex items-end justify-between gap-3 ${TONES[severity]}`}>
      {/* the line of the last hour gives way to the value */}
      <span className="max-w-full shrink-0">
        <span className="block truncate text-sm font-medium">{format.metric(metric_name)}</span>
        <span className="block whitespace-nowrap">
          {reading ? (
            <span className="tabular text-xl leading-7 font-semibold">
              <Quantity>{value(reading.value, unit)}</Quantity>
            </span>
          ) : null}{' '}
          <span className="tabular text-sm text-soft">
            {is_above ? '>' : '<'} {value(threshold_value, unit)}
          </span>
        </span>
      </span>
      <Sparkline
        trend={trend?.metric_name === metric_name && trend.unit === unit ? trend : undefined}
        threshold={threshold_value}
      />
    </span>
  )
}

function Line({ violation, machine }: { violation: Violation; machine: OverviewMachine }) {
  const format = useFormat()
  const { value } = format
  const { metric_name, unit, threshold_value, is_above, severity } = violation
  const reading = readingOf(machine, violation)
  return (
    <span className={`flex items-baseline justify-between gap-3 text-sm ${TONES[severity]}`}>
      <span className="min-w-0 truncate">{format.metric(metric_name)}</span>
      <span className="tabular whitespace-nowrap">
        {reading ? <span className="font-medium">{value(reading.value, unit)}</span> : null}{' '}
        <span className="text-soft">
          {is_above ? '>' : '<'} {value(threshold_value, unit)}
        </span>
      </span>
    </span>
  )
}

function Reading({ reading }: { reading: OverviewMachine['readings'][number] }) {
  const format = useFormat()
  const { value } = format
  return (
    <span className="flex items-baseline justify-between gap-3 text-sm">
      <span className="truncate text-soft">{format.metric(reading.metric_name)}</span>
      <span className="tabular font-medium whitespace-nowrap">{value(reading.value, reading.unit)}</span>
    </span>
  )
}

/** A machine in one line: what it violates, or its first metric. */
export function Row({ machine }: { machine: OverviewMachine }) {
  const t = useTranslations()
  const format = useFormat()
  const { value } = format
  const [violation] = machine.violations
  const reading = violation ? readingOf(machine, violation) : machine.readings[0]
  return (
    <li className="flex min-w-0 border-b border-line">
      <Link
        to="/machines/$machineId"
        params={{ machineId: machine.machine_id }}
        title={`${machine.machine_name} (${machine.machine_identifier})`}
        className="flex w-full min-w-0 items-center gap-2 rounded px-1.5 text-sm text-ink no-underline hover:bg-raised"
      >
        <Dot tone={machine.status} className="size-2.5" />
        <span className="max-w-[65%] shrink-0 truncate font-medium">{machine.machine_name}</span>
        <span className="sr-only">{t(`status.${machine.status}`)}</span>
        {reading ? (
          <span className={`ml-auto flex min-w-0 gap-1.5 ${violation ? TONES[violation.severity] : ''}`}>
            <span className={`truncate ${violation ? '' : 'text-soft'}`}>{format.metric(reading.metric_name)}</span>
            <span className="tabular font-medium whitespace-nowrap">{value(reading.value, reading.unit)}</span>
          </span>
        ) : (
          <span className="truncate text-soft">{t('overview.noReadings')}</span>
        )}
      </Link>
    </li>
  )
}
