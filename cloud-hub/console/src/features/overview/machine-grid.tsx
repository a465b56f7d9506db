import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useReadingsOf } from '../../app/readings-in-view.ts'
import { useSite } from '../../app/site.ts'
import { useFormat, useValue } from '../../i18n/format.tsx'
import { buttonClass } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Quantity } from '../../kit/quantity.tsx'
import { Status } from '../../kit/status.tsx'
import { type OverviewFilter, type OverviewMachine, overviewQuery, PAGE_SIZE } from './overview-query.ts'

const route = getRouteApi('/app/')
const CARD_PX = 250
const GAP_PX = 12
/** of rows of machines that violate a threshold or are silent, and of those that are well */
const [TROUBLED_PX, WELL_PX] = [156, 68]
const SEARCH_DELAY_MS = 250
/** A page of machines that is in view for less is not loaded: dragging the scrollbar through a fleet would load all of it. */
const SETTLED_MS = 100
/** Pages that were scrolled past would add up to the whole fleet. */
const KEPT_MS = 30_000
const TONES = { critical: 'text-critical', warning: 'text-warning', info: 'text-ink' } as const
const EDGES = {
  critical: 'border-l-critical',
  warning: 'border-l-warning',
  offline: 'border-l-offline',
  healthy: 'border-l-healthy',
} as const

/** All machines, those in trouble first. Only the cards in view are drawn, and only their pages are loaded. */
export function MachineGrid() {
  const t = useTranslations('overview')
  const { status, find } = route.useSearch()
  const navigate = useNavigate({ from: '/' })
  const site = useSite()
  const filter = { status, search: find?.trim() || undefined, group_id: site }
  const query = useQuery({ ...overviewQuery(filter), placeholderData: keepPreviousData })
  const search = useDelayed((text: string) => {
    navigate({ search: (known) => ({ ...known, find: text || undefined }), replace: true })
  }, SEARCH_DELAY_MS)
  return (
    <Panel
      title={t('machines')}
      actions={
        <TextField
          label={t('find')}
          isLabelHidden
          type="search"
          placeholder={t('find')}
          defaultValue={find}
          onChange={({ target }) => search(target.value)}
        />
      }
    >
      <Loaded query={query} label={t('machines')}>
        {(data) =>
          data.pagination.total > 0 ? (
            <div className={query.isPlaceholderData ? 'opacity-60' : ''}>
              <Cards
                key={`${status} ${find} ${site}`}
                filter={filter}
                total={data.pagination.total}
                troubled={troubledOf(filter, data)}
              />
            </div>
          ) : status || filter.search ? (
            <Empty title={t('noneFound')} />
          ) : (
            <NoMachines />
          )
        }
      </Loaded>
    </Panel>
  )
}

/** A function that runs once its calls have paused. */
function useDelayed<A extends unknown[]>(run: (...args: A) => void, ms: number): (...args: A) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return (...args) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => run(...args), ms)
  }
}

function NoMachines() {
  const t = useTranslations('overview')
  const { may } = useMe()
  return (
    <Empty title={t('noMachines')}>
      <p>{may('operator') ? t('noMachinesText') : t('noMachinesViewer')}</p>
      {may('operator') ? (
        <Link to="/machines" className={buttonClass('primary', 'mt-3')}>
          {t('addMachines')}
        </Link>
      ) : null}
    </Empty>
  )
}

/** How many machines, from the first, are shown with what is wrong: those that are well come last. */
function troubledOf({ status, search }: OverviewFilter, { counts, pagination }: Schemas['FleetOverview']): number {
  if (status) return status === 'healthy' ? 0 : pagination.total
  // the counts are those of all machines
  return search ? pagination.total : pagination.total - counts.healthy
}

function Cards({ filter, total, troubled }: { filter: OverviewFilter; total: number; troubled: number }) {
  const frame = useRef<HTMLDivElement>(null)
  const [columns, setColumns] = useState(1)
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => {
    const element = frame.current as HTMLDivElement
    const measure = () => {
      setColumns(Math.max(1, Math.floor((element.clientWidth + GAP_PX) / (CARD_PX + GAP_PX))))
      setOffset(element.getBoundingClientRect().top + window.scrollY)
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  const virtual = useWindowVirtualizer({
    count: Math.ceil(total / columns),
    estimateSize: (row) => (row * columns < troubled ? TROUBLED_PX : WELL_PX),
    gap: GAP_PX,
    overscan: 4,
    scrollMargin: offset,
  })
  const rows = virtual.getVirtualItems()
  const first = rows[0]
  const [from, to] = [(first?.index ?? 0) * columns, Math.min(total, ((rows.at(-1)?.index ?? -1) + 1) * columns)]
  const machineAt = usePages(filter, from, to)
  const shown = Array.from({ length: Math.max(0, to - from) }, (_, index) => machineAt(from + index))
  useReadingsOf(shown.flatMap((machine) => machine?.machine_id ?? []))
  return (
    <div ref={frame} className="relative m-4" style={{ height: virtual.getTotalSize() }}>
      <ul
        className="absolute inset-x-0 top-0 grid gap-3"
        style={{
          gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          gridTemplateRows: rows.map(({ size }) => `${size}px`).join(' '),
          transform: `translateY(${(first?.start ?? offset) - offset}px)`,
        }}
      >
        {shown.map((machine, index) =>
          machine ? (
            <Card key={machine.machine_id} machine={machine} isTall={Math.floor((from + index) / columns) * columns < troubled} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: which machine comes here is not known yet
            <li key={from + index} className="skeleton" />
          ),
        )}
      </ul>
    </div>
  )
}

/** Whether a value has stayed the same for a while. */
function useSettled(value: string, ms: number): boolean {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled === value
}

/** The machines at some positions of the list, from the pages that hold them. Pages that are scrolled past are not loaded. */
function usePages(filter: OverviewFilter, from: number, to: number): (index: number) => OverviewMachine | undefined {
  const [first, last] = [Math.floor(from / PAGE_SIZE), Math.max(0, Math.ceil(to / PAGE_SIZE) - 1)]
  const isSettled = useSettled(`${first} ${last}`, SETTLED_MS)
  const pages = useQueries({
    queries: Array.from({ length: last - first + 1 }, (_, index) => ({
      ...overviewQuery(filter, first + index + 1),
      enabled: isSettled,
      gcTime: KEPT_MS,
    })),
  })
  return (index) => pages[Math.floor(index / PAGE_SIZE) - first]?.data?.items[index % PAGE_SIZE]
}

function Card({ machine, isTall }: { machine: OverviewMachine; isTall: boolean }) {
  const t = useTranslations()
  const { violations } = machine
  const others = machine.readings.filter(({ metric_name }) => !violations.some((it) => it.metric_name === metric_name))
  return (
    <li className="flex min-w-0">
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
            <Status tone={machine.status}>{t(`status.${machine.status}`)}</Status>
          </span>
        </span>
        {isTall ? (
          <>
            {violations.slice(0, 2).map((violation) => (
              <ViolationLine key={violation.alert_id} violation={violation} readings={machine.readings} />
            ))}
            {violations[0] ? <Since violation={violations[0]} /> : null}
            <Values readings={others.slice(0, violations.length === 0 ? 4 : 3 - Math.min(2, violations.length))} />
          </>
        ) : (
          <ValueLine readings={machine.readings.slice(0, 2)} />
        )}
      </Link>
    </li>
  )
}

/** The metric that is beyond its threshold, in the colour of its severity. */
function ViolationLine({
  violation,
  readings,
}: {
  violation: OverviewMachine['violations'][number]
  readings: OverviewMachine['readings']
}) {
  const format = useFormat()
  const value = useValue()
  const { metric_name, unit, threshold_value, is_above, severity } = violation
  const reading = readings.find((it) => it.metric_name === metric_name && it.unit === unit)
  return (
    <span className={`mt-1 flex items-baseline justify-between gap-3 ${TONES[severity]}`}>
      <span className="min-w-0 truncate text-sm font-medium">{format.metric(metric_name)}</span>
      <span className="whitespace-nowrap">
        {reading ? (
          <span className="tabular text-lg leading-6 font-semibold">
            <Quantity>{value(reading.value, unit)}</Quantity>
          </span>
        ) : null}{' '}
        <span className="tabular text-sm text-soft">
          {is_above ? '>' : '<'} {value(threshold_value, unit)}
        </span>
      </span>
    </span>
  )
}

/** Since when the machine has it, and who is on it. */
function Since({ violation }: { violation: OverviewMachine['violations'][number] }) {
  const { triggered_at, acknowledged_at, acknowledged_by_name: name } = violation
  const t = useTranslations('overview')
  const format = useFormat()
  return (
    <span className="truncate text-sm text-soft">
      {format.ago(triggered_at)} · {name ? t('takenBy', { name }) : t(acknowledged_at ? 'taken' : 'notTaken')}
    </span>
  )
}

function Values({ readings }: Pick<OverviewMachine, 'readings'>) {
  const format = useFormat()
  const value = useValue()
  return (
    <span className="mt-1 flex flex-col gap-0.5">
      {readings.map((reading) => (
        <span key={`${reading.metric_name} ${reading.unit}`} className="flex items-baseline justify-between gap-3 text-sm">
          <span className="truncate text-soft">{format.metric(reading.metric_name)}</span>
          <span className="tabular font-medium whitespace-nowrap">{value(reading.value, reading.unit)}</span>
        </span>
      ))}
    </span>
  )
}

/** Values in one line, of a machine that is well. */
function ValueLine({ readings }: Pick<OverviewMachine, 'readings'>) {
  const format = useFormat()
  const value = useValue()
  const t = useTranslations('overview')
  if (readings.length === 0) return <span className="mt-1 text-sm text-soft">{t('noReadings')}</span>
  return (
    <span className="mt-1 truncate text-sm text-soft">
      {readings.map((reading, place) => (
        <span key={`${reading.metric_name} ${reading.unit}`}>
          {place > 0 ? ' · ' : ''}
          {format.metric(reading.metric_name)}{' '}
          <span className="tabular font-medium text-ink">{value(reading.value, reading.unit)}</span>
        </span>
      ))}
    </span>
  )
}
