import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import type { Format } from '../../i18n/create-format.ts'
import { useFormat } from '../../i18n/format.tsx'
import { dayEnd, dayStart } from '../../i18n/wall-time.ts'
import { Button } from '../../kit/button.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Empty } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Pages } from '../../kit/pages.tsx'
import { AUDIT_EVENTS, AUDIT_TYPES } from './audit-kinds.ts'

const route = getRouteApi('/app/settings')
const PAGE_SIZE = 50

/** Who changed what, the latest first. */
export function AuditPane() {
  const t = useTranslations()
  const { timeZone } = useFormat()
  const navigate = useNavigate({ from: '/settings' })
  const { page = 1, actor, type, target, from, to } = route.useSearch()
  const { data: users } = useQuery(apiQuery('/users'))
  const { data: keys } = useQuery(apiQuery('/api-keys'))
  const entries = useQuery({
    ...apiQuery('/audit-log', {
      params: {
        query: {
          page,
          page_size: PAGE_SIZE,
          actor_id: actor,
          target_type: type,
          target_id: target,
          start: from && dayStart(from, timeZone),
          end: to && dayEnd(to, timeZone),
        },
      },
    }),
    placeholderData: keepPreviousData,
  })
  const filter = (change: Record<string, string | undefined>) =>
    navigate({ search: (known) => ({ ...known, ...change, page: undefined }), replace: true })
  const names = new Map((users ?? []).map(({ id, full_name }) => [id, full_name]))
  const isFiltered = Boolean(actor || type || target || from || to)
  return (
    <>
      <div className="mb-4 grid grid-cols-2 items-end gap-3 md:flex md:flex-wrap">
        <SelectField
          label={t('audit.who')}
          value={actor ?? ''}
          className="max-w-full max-md:col-span-2 md:max-w-80"
          onChange={({ target: { value } }) => filter({ actor: value || undefined })}
          options={[
            ['', t('audit.everyone')],
            ...(users ?? []).map(({ id, full_name }) => [id, full_name] as const),
            ...(keys ?? []).map(({ id, name }) => [id, t('audit.keyNamed', { name })] as const),
          ]}
        />
        <SelectField
          label={t('audit.about')}
          value={type ?? ''}
          className="max-md:col-span-2"
          onChange={({ target: { value } }) => filter({ type: value || undefined })}
          options={[
            ['', t('filter.all')],
            ...AUDIT_TYPES.map((it) => [it, t(`audit.types.${it}`)] as const).toSorted((a, b) => a[1].localeCompare(b[1])),
          ]}
        />
        <TextField
          label={t('audit.from')}
          type="date"
          value={from ?? ''}
          max={to}
          onChange={({ target: { value } }) => filter({ from: value || undefined })}
        />
        <TextField
          label={t('audit.to')}
          type="date"
          value={to ?? ''}
          min={from}
          onChange={({ target: { value } }) => filter({ to: value || undefined })}
        />
        {isFiltered ? (
          <Button
            look="quiet"
            onPress={() => filter({ actor: undefined, type: undefined, target: undefined, from: undefined, to: undefined })}
          >
            {t('audit.clear')}
          </Button>
        ) : null}
      </div>
      <div className="card">
        <Loaded query={entries} label={t('audit.title')} rows={10}>
          {({ items, pagination }) => (
            <>
              {items.length === 0 ? (
                <Empty title={t('audit.none')} />
              ) : (
                <ul aria-label={t('audit.title')} className="divide-y divide-line">
                  {items.map((entry) => (
                    <Entry
                      key={entry.id}
                      entry={entry}
                      actorName={names.get(entry.actor.id ?? '')}
                      onTarget={(id) => filter({ target: id })}
                    />
                  ))}
                </ul>
              )}
              <Pages pagination={pagination} onPage={(next) => navigate({ search: (known) => ({ ...known, page: next }) })} />
            </>
          )}
        </Loaded>
      </div>
    </>
  )
}

function Entry({
  entry,
  actorName,
  onTarget,
}: {
  entry: Schemas['AuditEntry']
  /** of a member; the entry itself keeps the e-mail address of then */
  actorName: string | undefined
  onTarget(id: string): void
}) {
  const t = useTranslations('audit')
  const format = useFormat()
  const { actor, target } = entry
  const event = entry.action.split('.')[1] ?? entry.action
  const isKnown = (AUDIT_EVENTS as readonly string[]).includes(event)
  const knownType = AUDIT_TYPES.find((it) => it === target.type)
  const fields = [...new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})])]
  return (
    <li>
      <details className="group">
        <summary className="flex cursor-pointer flex-wrap gap-x-4 gap-y-0.5 px-4 py-2.5 hover:bg-raised">
          <Icon name="right" className="mt-0.5 size-4 text-soft group-open:rotate-90" />
          <span className="tabular w-44 text-soft max-sm:flex-1">{format.seconds(entry.at)}</span>
          <span className="min-w-0 flex-1 max-sm:basis-full">
            <span className="font-medium">{knownType ? t(`types.${knownType}`) : target.type.replaceAll('_', ' ')}</span>{' '}
            {target.name ? <q>{target.name}</q> : null}{' '}
            {isKnown ? t(`events.${event as (typeof AUDIT_EVENTS)[number]}`) : event.replaceAll('_', ' ')}
          </span>
          <span className="text-soft">{actorName ?? actor.name ?? t(`actors.${actor.kind}`)}</span>
        </summary>
        <div className="flex flex-col gap-3 px-4 pt-1 pb-4 text-sm">
          {fields.length === 0 ? null : (
            <div className="overflow-x-auto">
              <table className="data-table w-full">
                <thead>
                  <tr>
                    <th>{t('field')}</th>
                    <th>{t('before')}</th>
                    <th>{t('after')}</th>
                  </tr>
                </thead>
                <tbody>
                  {fields.map((field) => (
                    <tr key={field}>
                      <td>{format.metric(field)}</td>
                      <td>{textOf(entry.before?.[field], format)}</td>
                      <td>{textOf(entry.after?.[field], format)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-soft">
            <span>{t(`actors.${actor.kind}`)}</span>
            {actorName && actor.name ? <span>{actor.name}</span> : null}
            {entry.ip ? <span>{t('address', { ip: entry.ip })}</span> : null}
            {entry.request_id ? <span>{t('request', { id: entry.request_id })}</span> : null}
            {target.id ? (
              <Button look="quiet" onPress={() => onTarget(target.id as string)}>
                {t('sameTarget')}
              </Button>
            ) : null}
          </p>
        </div>
      </details>
    </li>
  )
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/

function textOf(value: unknown, format: Format): string {
  if (value === undefined || value === null) return '–'
  if (typeof value === 'object') return JSON.stringify(value)
  // in full: a trail hides no digit
  if (typeof value === 'number') return value.toLocaleString(format.locale, { maximumFractionDigits: 20 })
  return typeof value === 'string' && INSTANT.test(value) ? format.seconds(value) : String(value)
}
