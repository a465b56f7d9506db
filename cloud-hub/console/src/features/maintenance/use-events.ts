import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, unwrap } from '../../api/client.ts'
import { keepWithin, useSite } from '../../app/site.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { toast } from '../../kit/toast.tsx'
import { conflictsOf, type Interval, intervalOf, type MaintenanceEvent, overlap } from './events.ts'

/** An event that is longer, and began before the interval, is not found: a range of starts keeps the hub from reading all that ever was. */
const LONGEST_MS = 31 * 86_400_000
/** Events around the interval are loaded too, because those in it may be in conflict with them. */
const MARGIN_MS = 7 * 86_400_000

/** The events that touch an interval; `found` has those of the margin too. */
export function useEvents(
  { from, to }: Interval,
  filter: { machine?: string | undefined; status?: MaintenanceEvent['status'] | undefined } = {},
) {
  const query = {
    machine_id: filter.machine,
    group_id: useSite(),
    status: filter.status,
    start_after: new Date(from.getTime() - LONGEST_MS).toISOString(),
    end_after: new Date(from.getTime() - MARGIN_MS).toISOString(),
    start_before: new Date(to.getTime() + MARGIN_MS).toISOString(),
  }
  const found = useQuery({ ...apiQuery('/maintenance', { params: { query } }), placeholderData: keepWithin(query.group_id) })
  return { found, events: found.data?.filter((event) => overlap(intervalOf(event), { from, to })) }
}

/** Moves an event at once, and back when the hub refuses. A series moves with its first event. */
export function useMoveEvent() {
  const t = useTranslations()
  const format = useFormat()
  const faultText = useFaultText()
  const client = useQueryClient()
  const move = useMutation({
    mutationFn: ({ event, to }: { event: MaintenanceEvent; to: Interval; isUndo?: boolean }) =>
      unwrap(
        api.PUT('/maintenance/{event_id}', {
          params: { path: { event_id: event.id } },
          body: { scheduled_start: to.from.toISOString(), scheduled_end: to.to.toISOString() },
        }),
      ),
    onMutate: async ({ event, to }) => {
      await client.cancelQueries({ queryKey: ['/maintenance'] })
      const before = client.getQueriesData<MaintenanceEvent[]>({ queryKey: ['/maintenance'] })
      client.setQueriesData<MaintenanceEvent[]>({ queryKey: ['/maintenance'] }, (known) =>
        known?.map((it) =>
          it.id === event.id ? { ...it, scheduled_start: to.from.toISOString(), scheduled_end: to.to.toISOString() } : it,
        ),
      )
      return before
    },
    onSuccess: (changed, { event, isUndo }) => {
      const known = client.getQueriesData<MaintenanceEvent[]>({ queryKey: ['/maintenance'] }).flatMap(([, list]) => list ?? [])
      const others = conflictsOf([...new Map(known.map((it) => [it.id, it])).values()]).get(changed.id)
      const text = t('maintenance.movedTo', { at: format.dateTime(changed.scheduled_start) })
      const conflict = others?.[0] ? ` ${t('maintenance.conflict', { title: others[0].title })}` : ''
      const undo = { text: t('common.undo'), run: () => move.mutate({ event, to: intervalOf(event), isUndo: true }) }
      toast(conflict ? 'warning' : 'healthy', text + conflict, isUndo ? undefined : undo)
    },
    onError: (error, _, before) => {
      for (const [key, list] of before ?? []) client.setQueryData(key, list)
      toast('critical', faultText(error))
    },
  })
  return move
}
