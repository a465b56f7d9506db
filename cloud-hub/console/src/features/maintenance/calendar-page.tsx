import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { MachineField } from '../../app/machine-field.tsx'
import { useMe } from '../../app/me.tsx'
import { useSite } from '../../app/site.ts'
import { useFormat } from '../../i18n/format.tsx'
import { addDays, dayOf, firstOfMonth, instantOf, mondayOf, wallTime } from '../../i18n/wall-time.ts'
import { Button, buttonClass } from '../../kit/button.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Empty, PageHead } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { useNarrow } from '../../kit/use-narrow.ts'
import { ViewLinks } from '../../kit/view-links.tsx'
import { Agenda } from './agenda.tsx'
import { conflictsOf, eventsByDay, type Interval, isMovable, type MaintenanceEvent, STATUSES } from './events.ts'
import { MonthView } from './month-view.tsx'
import { useEvents, useMoveEvent } from './use-events.ts'
import { WeekView } from './week-view.tsx'

const EventDialog = lazy(() => import('./event-dialog.tsx').then((it) => ({ default: it.EventDialog })))
const EventSummary = lazy(() => import('./event-summary.tsx').then((it) => ({ default: it.EventSummary })))
const MoveDialog = lazy(() => import('./move-dialog.tsx').then((it) => ({ default: it.MoveDialog })))
const SubscribeDialog = lazy(() => import('./subscribe-dialog.tsx').then((it) => ({ default: it.SubscribeDialog })))

const route = getRouteApi('/app/maintenance')
const HOUR_MS = 3_600_000
const DAYS_OF_WEEK = 7

/** What begins with this week has the weeks of about a month. */
const WEEKS_AHEAD = 5

/** The days that a view shows: a week, the weeks of a month, or those from this one on. */
function daysOf(view: 'month' | 'week' | 'weeks', day: string): string[] {
  const first = mondayOf(view === 'month' ? firstOfMonth(day) : day)
  const end = {
    week: addDays(first, DAYS_OF_WEEK),
    weeks: addDays(first, WEEKS_AHEAD * DAYS_OF_WEEK),
    month: addDays(mondayOf(addDays(firstOfMonth(day, 1), -1)), DAYS_OF_WEEK),
  }[view]
  const days: string[] = []
  for (let it = first; it < end; it = addDays(it, 1)) days.push(it)
  return days
}

/** Maintenance of all machines by month or week. */
export function CalendarPage() {
  const t = useTranslations('maintenance')
  const filterText = useTranslations('filter')
  const format = useFormat()
  const isNarrow = useNarrow()
  const { may } = useMe()
  const navigate = useNavigate({ from: '/maintenance' })
  const { view = 'month', date, machine, status } = route.useSearch()
  const [adding, setAdding] = useState<string | null>(null)
  const [openId, setOpenId] = useState<string | null>(null)
  const [moving, setMoving] = useState<{ event: MaintenanceEvent; to: Interval } | null>(null)
  const [isSubscribing, setSubscribing] = useState(false)
  const move = useMoveEvent()

  const today = dayOf(Date.now(), format.timeZone)
  const day = date ?? today
  // the month of today begins with this week: what is over is one step away
  const isAhead = view === 'month' && date === undefined
  const days = useMemo(() => daysOf(isAhead ? 'weeks' : view, day), [isAhead, view, day])
  const at = (it: string, time = '00:00') => instantOf(`${it}T${time}`, format.timeZone)
  const range = { from: at(days[0] as string), to: at(addDays(days.at(-1) as string, 1)) }
  const { found, events } = useEvents(range, { machine, status })
  const all = found.data
  const group_id = useSite()
  const { data: plant } = useQuery(apiQuery('/settings/plant', group_id ? { params: { query: { group_id } } } : undefined))
  const holidays = useMemo(
    () => new Map(plant?.non_production_days.flatMap((it) => (it.group_id && !group_id ? [] : [[it.date, it.name] as const]))),
    [plant, group_id],
  )
  const conflicts = useMemo(() => conflictsOf(all ?? []), [all])

  const show = (change: Record<string, string | undefined>) =>
    navigate({ search: (known) => ({ ...known, ...change }), replace: true })
  // back from this week is this month, whose beginning it left out
  const stepMonth = (count: number) => firstOfMonth(day, isAhead && count < 0 ? count + 1 : count)
  const step = (count: number) =>
    navigate({
      search: (known) => ({ ...known, date: view === 'week' ? addDays(day, count * DAYS_OF_WEEK) : stepMonth(count) }),
    })
  const handlers = {
    conflicts,
    mayChange: may('operator'),
    onOpen: (event: MaintenanceEvent) => setOpenId(event.id),
  }
  const onMove = (event: MaintenanceEvent, to: Interval) =>
    // a series moves with its first event: that is said before
    event.recurrence_rule ? setMoving({ event, to }) : move.mutate({ event, to })
  const title =
    view === 'month' && !isAhead ? format.month(at(day, '12:00')) : weekTitle(days, (it) => format.date(at(it, '12:00')))
  const shown = isNarrow && view === 'month' && !isAhead ? days.filter((it) => it.startsWith(day.slice(0, 7))) : days
  const byDay = eventsByDay(events ?? [], shown, format.timeZone)
  const open = all?.find(({ id }) => id === openId)
  const isEmpty = events !== undefined && [...byDay.values()].every((list) => list.length === 0)
  const empty = (
    <Empty title={t('none')}>{t(may('operator') ? 'noneText' : machine || status ? 'noneFiltered' : 'noneOther')}</Empty>
  )
  return (
    <>
      <PageHead title={t('title')} lead={title}>
        <Button onPress={() => setSubscribing(true)}>
          <Icon name="calendar" className="size-4.5" />
          {t('subscribe')}
        </Button>
        {may('operator') ? (
          <Button look="primary" onPress={() => setAdding(notBefore(Date.now(), `${day}T08:00`, format.timeZone))}>
            {t('plan')}
          </Button>
        ) : null}
      </PageHead>
      <div className="no-print mb-4 grid grid-cols-2 items-end gap-3 md:flex md:flex-wrap">
        <div className="flex items-center gap-1">
          <Button aria-label={t(view === 'month' ? 'previousMonth' : 'previousWeek')} onPress={() => step(-1)}>
            <Icon name="left" className="size-4.5" />
          </Button>
          <Link
            from="/maintenance"
            to="/maintenance"
            search={(known) => ({ ...known, date: undefined })}
            className={buttonClass()}
          >
            {t('today')}
          </Link>
          <Button aria-label={t(view === 'month' ? 'nextMonth' : 'nextWeek')} onPress={() => step(1)}>
            <Icon name="right" className="size-4.5" />
          </Button>
        </div>
        <ViewLinks
          label={t('view')}
          chosen={view}
          views={[
            ['month', t('month')],
            ['week', t('week')],
          ]}
        />
      </div>
      <Filters chosen={[machine, status].filter(Boolean).length}>
        <MachineField
          label={t('machine')}
          className="md:w-56"
          value={machine ?? ''}
          none={filterText('all')}
          onChange={(id) => show({ machine: id || undefined })}
        />
        <SelectField
          label={t('status')}
          value={status ?? ''}
          onChange={({ target }) => show({ status: target.value || undefined })}
          options={[['', filterText('all')], ...STATUSES.map((it) => [it, t(`statuses.${it}`)] as const)]}
        />
      </Filters>
      {!events ? (
        <div className="card">
          <Loaded query={found} label={t('title')} rows={10}>
            {() => null}
          </Loaded>
        </div>
      ) : isNarrow ? (
        isEmpty ? (
          <div className="card">{empty}</div>
        ) : (
          <Agenda days={shown} today={today} byDay={byDay} {...handlers} />
        )
      ) : (
        <>
          {view === 'month' ? (
            <MonthView
              {...{ days, today, byDay, holidays, onMove }}
              month={isAhead ? undefined : day.slice(0, 7)}
              onAdd={(it) => setAdding(`${it}T08:00`)}
              {...handlers}
            />
          ) : (
            <WeekView
              {...{ days, today, byDay, holidays, onMove }}
              onAdd={(it, time) => setAdding(`${it}T${time}`)}
              {...handlers}
            />
          )}
          {isEmpty ? empty : null}
          {!isEmpty && may('operator') && events.some(isMovable) ? (
            <p className="mt-2 text-sm text-soft">{t('dragHint')}</p>
          ) : null}
        </>
      )}
      <Suspense>
        {adding ? <EventDialog startsAt={adding} machineId={machine} onClose={() => setAdding(null)} /> : null}
        {open ? <EventSummary event={open} conflicts={conflicts.get(open.id) ?? []} onClose={() => setOpenId(null)} /> : null}
        {moving ? <MoveDialog event={moving.event} to={moving.to} onClose={() => setMoving(null)} /> : null}
        {isSubscribing ? <SubscribeDialog onClose={() => setSubscribing(false)} /> : null}
      </Suspense>
    </>
  )
}

const weekTitle = (days: readonly string[], show: (day: string) => string) =>
  `${show(days[0] as string)} – ${show(days.at(-1) as string)}`

/** A start, or the next full hour where that is over: what is planned begins in the future. */
const notBefore = (now: number, start: string, timeZone: string): string =>
  instantOf(start, timeZone).getTime() > now ? start : wallTime(Math.ceil((now + 1) / HOUR_MS) * HOUR_MS, timeZone)
