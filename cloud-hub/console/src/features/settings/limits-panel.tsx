import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'

type Limit = Schemas['TenantLimits']['limits'][number]

/** What the company may have, and has. */
export function LimitsPanel() {
  const t = useTranslations('limits')
  const limits = useQuery({ ...apiQuery('/settings/limits'), refetchOnMount: 'always' })
  return (
    <Panel title={t('title')}>
      <Loaded query={limits} label={t('title')} rows={6}>
        {({ limits }) => (
          <div className="flex flex-col gap-4 p-4">
            <p className="text-sm text-soft">{t(limits.some((it) => it.is_near) ? 'near' : 'text')}</p>
            <ul className="flex flex-col gap-3">
              {limits.map((limit) => (
                <LimitRow key={limit.kind} limit={limit} />
              ))}
            </ul>
          </div>
        )}
      </Loaded>
    </Panel>
  )
}

function LimitRow({ limit: { kind, used, limit, is_near } }: { limit: Limit }) {
  const t = useTranslations('limits')
  const format = useFormat()
  const amount = kind === 'attachment_bytes' ? format.bytes : format.count
  const isReached = limit !== null && used >= limit
  const text = limit === null ? t('unlimited', { used: amount(used) }) : t('used', { used: amount(used), limit: amount(limit) })
  const share = limit === null ? 0 : limit === 0 ? 1 : Math.min(1, used / limit)
  return (
    <li>
      <div className="mb-1 flex flex-wrap justify-between gap-x-4 text-sm">
        <span className="font-medium">{t(`kinds.${kind}`)}</span>
        <span className={isReached ? 'font-medium text-critical' : is_near ? 'font-medium text-warning' : 'text-soft'}>
          {text}
          {isReached ? ` – ${t('reached')}` : null}
        </span>
      </div>
      {limit === null ? null : (
        <span aria-hidden className="block h-2 overflow-hidden rounded bg-raised">
          <span
            className={`block h-full rounded ${isReached ? 'bg-critical' : is_near ? 'bg-warning' : 'bg-brand'}`}
            style={{ width: `${Math.max(share * 100, used > 0 ? 0.5 : 0)}%` }}
          />
        </span>
      )}
    </li>
  )
}
