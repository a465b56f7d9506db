import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { useMe } from '../../app/me.tsx'
import { useFormat, useValue } from '../../i18n/format.tsx'
import { buttonClass } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Empty, Panel, SkeletonRows } from '../../kit/layout.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Status } from '../../kit/status.tsx'

type FleetMachine = Schemas['FleetMachine']

const route = getRouteApi('/app/')
const RANK = { critical: 0, warning: 1, offline: 2, healthy: 3 } as const
/** Up to so many machines, each card loads its latest values; larger fleets show status and alerts only. */
const MAX_WITH_VALUES = 60
const CARD_PX = 250
const GAP_PX = 12
const VALUES_SHOWN = 3
const ROW_PX = 92
const ROW_WITH_VALUES_PX = 172

/** All machines, those in trouble first. Only the cards in view are drawn. */
export function MachineGrid() {
  const t = useTranslations('overview')
  const faultText = useFaultText()
  const { status, find = '' } = route.useSearch()
  const navigate = useNavigate({ from: '/' })
  const { data, error } = useQuery(apiQuery('/fleet/status'))
  const machines = useMemo(() => {
    const words = find.toLowerCase()
    return (data?.machines ?? [])
      .filter((machine) => !status || machine.status === status)
      .filter(({ machine_name, machine_identifier }) => `${machine_name} ${machine_identifier}`.toLowerCase().includes(words))
      .toSorted((a, b) => RANK[a.status] - RANK[b.status] || a.machine_name.localeCompare(b.machine_name))
  }, [data, status, find])
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
          onChange={({ target }) =>
            navigate({ search: (known) => ({ ...known, find: target.value || undefined }), replace: true })
          }
        />
      }
    >
      {error && !data ? (
        <div className="p-4">
          <Notice tone="critical">{faultText(error)}</Notice>
        </div>
      ) : !data ? (
        <SkeletonRows label={t('machines')} />
      ) : data.total_machines === 0 ? (
        <NoMachines />
      ) : machines.length === 0 ? (
        <Empty title={t('noneFound')} />
      ) : (
        <Cards machines={machines} withValues={data.total_machines <= MAX_WITH_VALUES} />
      )}
    </Panel>
  )
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

function Cards({ machines, withValues }: { machines: readonly FleetMachine[]; withValues: boolean }) {
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
  const rowPx = withValues ? ROW_WITH_VALUES_PX : ROW_PX
  const virtual = useWindowVirtualizer({
    count: Math.ceil(machines.length / columns),
    estimateSize: () => rowPx,
    gap: GAP_PX,
    overscan: 4,
    scrollMargin: offset,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sizes that it has cached are of other cards
  useLayoutEffect(() => virtual.measure(), [rowPx])
  const rows = virtual.getVirtualItems()
  const [first, last] = [rows[0], rows.at(-1)]
  const shown = machines.slice((first?.index ?? 0) * columns, ((last?.index ?? -1) + 1) * columns)
  return (
    <div ref={frame} className="relative m-4" style={{ height: virtual.getTotalSize() }}>
      <ul
        className="absolute inset-x-0 top-0 grid gap-3"
        style={{
          gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          gridAutoRows: `${rowPx}px`,
          transform: `translateY(${(first?.start ?? offset) - offset}px)`,
        }}
      >
        {shown.map((machine) => (
          <Card key={machine.machine_id} machine={machine} withValues={withValues} />
        ))}
      </ul>
    </div>
  )
}

function Card({ machine, withValues }: { machine: FleetMachine; withValues: boolean }) {
  const t = useTranslations()
  return (
    <li className="flex">
      <Link
        to="/machines/$machineId"
        params={{ machineId: machine.machine_id }}
        className="flex w-full flex-col rounded-lg border border-line bg-paper p-3 text-ink no-underline hover:bg-raised"
      >
        <span className="truncate font-semibold" title={machine.machine_name}>
          {machine.machine_name}
        </span>
        <span className="flex items-baseline justify-between gap-2 text-sm">
          <span className="min-w-0 truncate text-soft">{machine.machine_identifier}</span>
          <Status tone={machine.status}>{t(`status.${machine.status}`)}</Status>
        </span>
        {machine.active_alert_count > 0 ? (
          <span className="mt-1 text-sm font-medium text-critical">
            {t('overview.alerts', { count: machine.active_alert_count })}
          </span>
        ) : null}
        {withValues ? <Values machineId={machine.machine_id} /> : null}
      </Link>
    </li>
  )
}

function Values({ machineId }: { machineId: string }) {
  const format = useFormat()
  const value = useValue()
  const t = useTranslations('overview')
  const { data } = useQuery(apiQuery('/machines/{machine_id}/readings/latest', { params: { path: { machine_id: machineId } } }))
  const entries = Object.entries(data?.readings ?? {}).toSorted(([a], [b]) => a.localeCompare(b))
  if (data && entries.length === 0) return <span className="mt-2 text-sm text-soft">{t('noReadings')}</span>
  return (
    <span className="mt-2 flex flex-col gap-0.5">
      {entries.slice(0, VALUES_SHOWN).map(([metric, reading]) => (
        <span key={metric} className="flex items-baseline justify-between gap-3">
          <span className="truncate text-sm text-soft">{format.metric(metric)}</span>
          <span className="tabular font-semibold whitespace-nowrap">{value(reading.value, reading.unit)}</span>
        </span>
      ))}
    </span>
  )
}
