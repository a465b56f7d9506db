import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../../api/client.ts'
import { compareNames } from '../../i18n/compare-names.ts'
import { useFormat } from '../../i18n/format.tsx'
import { dayEnd, dayStart } from '../../i18n/wall-time.ts'
import { Button } from '../../kit/button.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { Empty } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Pages } from '../../kit/pages.tsx'
import { AuditEntry } from './audit-entry.tsx'
import { AUDIT_TYPES } from './audit-kinds.ts'

const route = getRouteApi('/app/settings')
const PAGE_SIZE = 50

/** Who changed what, the latest first. */
export function AuditPane() {
  const t = useTranslations()
  const { timeZone } = useFormat()
  const navigate = useNavigate({ from: '/settings' })
  const { page = 1, actor, kind, type, target, from, to } = route.useSearch()
  const { data: users } = useQuery(apiQuery('/users'))
  const { data: keys } = useQuery(apiQuery('/api-keys'))
  const entries = useQuery({
    ...apiQuery('/audit-log', {
      params: {
        query: {
          page,
          page_size: PAGE_SIZE,
          actor_id: actor,
          kind,
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
  const isFiltered = Boolean(actor || kind || type || target || from || to)
  return (
    <>
      <Filters chosen={[actor, kind, type, target, from, to].filter(Boolean).length}>
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
          label={t('audit.kind')}
          value={kind ?? ''}
          className="max-md:col-span-2"
          onChange={({ target: { value } }) => filter({ kind: value || undefined })}
          options={[
            ['', t('audit.changes')],
            ['security', t('audit.security')],
          ]}
        />
        <SelectField
          label={t('audit.about')}
          value={type ?? ''}
          className="max-md:col-span-2"
          onChange={({ target: { value } }) => filter({ type: value || undefined })}
          options={[
            ['', t('filter.all')],
            ...AUDIT_TYPES.map((it) => [it, t(`audit.types.${it}`)] as const).toSorted((a, b) => compareNames(a[1], b[1])),
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
            onPress={() =>
              filter({ actor: undefined, kind: undefined, type: undefined, target: undefined, from: undefined, to: undefined })
            }
          >
            {t('audit.clear')}
          </Button>
        ) : null}
      </Filters>
      <div className="card max-w-300">
        <Loaded query={entries} label={t('audit.title')} rows={10}>
          {({ items, pagination }) => (
            <>
              {items.length === 0 ? (
                <Empty title={t('audit.none')} />
              ) : (
                <ul aria-label={t('audit.title')} className="divide-y divide-line">
                  {items.map((entry) => (
                    <AuditEntry key={entry.id} entry={entry} names={names} onTarget={(id) => filter({ target: id })} />
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
