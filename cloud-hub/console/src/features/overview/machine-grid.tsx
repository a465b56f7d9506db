import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useReadingsOf } from '../../app/readings-in-view.ts'
import { useSite } from '../../app/site.ts'
import { buttonClass } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Card, Row } from './card.tsx'
import { type OverviewFilter, type OverviewMachine, overviewQuery, PAGE_SIZE, trendsQuery } from './overview-query.ts'

const route = getRouteApi('/app/')
const CARD_PX = 250
const GAP_PX = 16
/** of rows with what is wrong, and of lines; with gloves a line is a target of 48 px */
const [CARD_ROW_PX, LINE_PX] = [168, matchMedia('(pointer: coarse)').matches ? 49 : 33]
/** The most urgent machines in trouble have cards with their last hour, the others lines. */
const CARDS_SHOWN = 4
const TREND_MS = 60_000
const SEARCH_DELAY_MS = 250
/** A page of machines that is in view for less is not loaded: dragging the scrollbar through a fleet would load all of it. */
const SETTLED_MS = 100
/** Pages that were scrolled past would add up to the whole fleet. */
const KEPT_MS = 30_000

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
    <Empty shape="tiles" title={t('noMachines')}>
      <p>{may('operator') ? t('noMachinesText') : t('noMachinesViewer')}</p>
      {may('operator') ? (
        <Link to="/machines" className={buttonClass('primary', 'mt-3')}>
          {t('addMachines')}
        </Link>
      ) : null}
    </Empty>
  )
}

/** How many machines, from the first, violate a threshold or are silent: those that are well come last. */
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
    // before anything is drawn: an observer tells a frame later
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  const cardRows = Math.ceil(Math.min(troubled, Math.max(CARDS_SHOWN, columns)) / columns)
  const virtual = useWindowVirtualizer({
    count: Math.ceil(total / columns),
    estimateSize: (row) => (row < cardRows ? CARD_ROW_PX : LINE_PX),
    overscan: 8,
    scrollMargin: offset,
  })
  // sizes are kept by row, and a row may turn from cards into lines
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sizes depend on it
  useLayoutEffect(() => virtual.measure(), [cardRows])
  const rows = virtual.getVirtualItems()
  const first = rows[0]
  const [from, to] = [(first?.index ?? 0) * columns, Math.min(total, ((rows.at(-1)?.index ?? -1) + 1) * columns)]
  const machineAt = usePages(filter, from, to)
  const shown = Array.from({ length: Math.max(0, to - from) }, (_, index) => machineAt(from + index))
  useReadingsOf(shown.flatMap((machine) => machine?.machine_id ?? []))
  const trendOf = useTrends(
    Array.from({ length: cardRows * columns }, (_, index) => machineAt(index)).filter((it) => it !== undefined),
  )
  return (
    <div ref={frame} className="relative mx-4 mt-4 mb-2" style={{ height: virtual.getTotalSize() }}>
      <ul
        className="absolute inset-x-0 top-0 grid gap-x-4"
        style={{
          gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          gridTemplateRows: rows.map(({ size }) => `${size}px`).join(' '),
          transform: `translateY(${(first?.start ?? offset) - offset}px)`,
        }}
      >
        {shown.map((machine, index) =>
          machine ? (
            from + index < cardRows * columns ? (
              <Card key={machine.machine_id} machine={machine} trend={trendOf(machine.machine_id)} />
            ) : (
              <Row key={machine.machine_id} machine={machine} />
            )
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: which machine comes here is not known yet
            <li key={from + index} className="skeleton my-1" />
          ),
        )}
      </ul>
    </div>
  )
}

/** The last hour of the machines that have cards and violate something, in one request. */
function useTrends(machines: readonly OverviewMachine[]): (machineId: string) => OverviewMachine['trend'] | undefined {
  const violating = machines
    .filter(({ violations }) => violations.length > 0)
    .toSorted((a, b) => (a.machine_id < b.machine_id ? -1 : 1))
  const { data } = useQuery({ ...trendsQuery(violating), enabled: violating.length > 0, refetchInterval: TREND_MS })
  return (machineId) => data?.items.find(({ machine_id }) => machine_id === machineId)?.trend
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
