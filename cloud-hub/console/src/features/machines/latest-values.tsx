import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { compareNames } from '../../i18n/compare-names.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Quantity } from '../../kit/quantity.tsx'
import { toast } from '../../kit/toast.tsx'

/** The newest value of each metric: pressing it shows or hides its chart, and its pin makes the overview show it first. */
export function LatestValues({
  latest,
  chosen,
  onToggle,
}: {
  latest: Schemas['LatestReadings']
  chosen: string[] | undefined
  onToggle(metric: string): void
}) {
  const t = useTranslations('charts')
  const format = useFormat()
  const { value } = format
  const { pinned, pin } = usePins()
  const entries = Object.entries(latest.readings).toSorted(([a], [b]) => compareNames(a, b))
  return (
    <ul aria-label={t('latest')} className="grid grid-cols-2 gap-3 sm:grid-cols-3 xl:grid-cols-5">
      {entries.map(([metric, reading]) => (
        <li key={metric} className="relative flex">
          <button
            type="button"
            aria-pressed={chosen ? chosen.includes(metric) : true}
            onClick={() => onToggle(metric)}
            className="card flex w-full min-w-0 flex-col px-3.5 py-2.5 text-left hover:bg-raised aria-[pressed=false]:border-dashed aria-[pressed=false]:bg-ground"
          >
            <span className="w-full truncate pr-7 text-sm text-soft">{format.metric(metric)}</span>
            <span className="tabular text-xl font-semibold">
              <Quantity>{value(reading.value, reading.unit)}</Quantity>
            </span>
            <span className="tabular text-xs text-soft">{format.clock(reading.timestamp)}</span>
          </button>
          <button
            type="button"
            aria-label={t('pin', { metric: format.metric(metric) })}
            aria-pressed={pinned.includes(metric)}
            title={t('pinHint')}
            onClick={() => pin(metric)}
            className="no-print absolute top-1 right-1 flex size-8 items-center justify-center rounded-lg text-soft hover:bg-line/60 aria-pressed:text-brand aria-pressed:[&_path]:fill-current"
          >
            <Icon name="pin" className="size-4" />
          </button>
        </li>
      ))}
    </ul>
  )
}

/** The metrics that the person pinned; `pin` adds one or takes it away. */
function usePins(): { pinned: readonly string[]; pin(metric: string): void } {
  const { user } = useMe()
  const client = useQueryClient()
  const faultText = useFaultText()
  const change = useMutation({
    mutationFn: (pinned_metrics: string[]) => unwrap(api.PATCH('/settings/profile', { body: { pinned_metrics } })),
    onSuccess: (changed) => client.setQueryData(apiQuery('/auth/me').queryKey, changed),
    onError: (error) => toast('critical', faultText(error)),
  })
  const pinned = change.isPending ? change.variables : (user.pinned_metrics ?? [])
  const pin = (metric: string) =>
    change.mutate(pinned.includes(metric) ? pinned.filter((it) => it !== metric) : [...pinned, metric])
  return { pinned, pin }
}
