import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useFaultText } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Pages } from '../../kit/pages.tsx'
import { toast } from '../../kit/toast.tsx'
import { MappingsTable } from './table.tsx'

const SuggestDialog = lazy(() => import('./suggest-dialog.tsx').then((it) => ({ default: it.SuggestDialog })))
const MappingDialog = lazy(() => import('./mapping-dialog.tsx').then((it) => ({ default: it.MappingDialog })))

type TagMapping = Schemas['TagMapping']

const route = getRouteApi('/app/machines/$machineId')
const PAGE_SIZE = 50
const SURE = 0.85

/** The metrics of vendors' tags: suggestions, which operators review, and what is confirmed. */
export function TagMappings({ machineId }: { machineId: string }) {
  const t = useTranslations('tags')
  const { may } = useMe()
  const faultText = useFaultText()
  const navigate = useNavigate({ from: '/machines/$machineId' })
  const { mappings: state, page = 1 } = route.useSearch()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [open, setOpen] = useState<TagMapping | 'suggest' | null>(null)
  const query = useQuery(apiQuery('/machines/{machine_id}/tag-mappings', { params: { path: { machine_id: machineId } } }))
  const confirm = useMutation({
    // one after the other, because the hub confirms one at a time and limits how many it changes in a minute
    mutationFn: async (ids: string[]) => {
      let count = 0
      try {
        for (const mapping_id of ids) {
          await unwrap(api.POST('/tag-mappings/{mapping_id}/confirm', { params: { path: { mapping_id } } }))
          count++
          setChosen((known) => new Set([...known].filter((id) => id !== mapping_id)))
        }
      } finally {
        if (count > 0) toast('healthy', t('confirmedCount', { count }))
      }
    },
    onError: (error) => toast('critical', faultText(error)),
  })
  const proposals = (query.data ?? []).filter((it) => !it.is_confirmed)
  const shown = (query.data ?? []).filter((it) => !state || it.is_confirmed === (state === 'confirmed'))
  const pages = Math.max(1, Math.ceil(shown.length / PAGE_SIZE))
  const current = Math.min(page, pages)
  const choose = (ids: readonly string[], isChosen: boolean) =>
    setChosen((known) => new Set(isChosen ? [...known, ...ids] : [...known].filter((id) => !ids.includes(id))))
  const marked = proposals.filter(({ id }) => chosen.has(id)).map(({ id }) => id)
  const sure = proposals.filter((it) => it.confidence_score >= SURE).map(({ id }) => id)
  return (
    <Panel
      title={t('title')}
      actions={
        may('operator') ? (
          <>
            {marked.length > 0 ? (
              <Button look="primary" isPending={confirm.isPending} onPress={() => confirm.mutate(marked)}>
                {t('confirmChosen', { count: marked.length })}
              </Button>
            ) : sure.length > 1 ? (
              <Button onPress={() => choose(sure, true)}>{t('chooseSure', { count: sure.length })}</Button>
            ) : null}
            <Button onPress={() => setOpen('suggest')}>{t('suggest')}</Button>
          </>
        ) : null
      }
    >
      <Loaded query={query} label={t('title')}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={t('none')}>{t(may('operator') ? 'noneText' : 'noneOther')}</Empty>
          ) : (
            <>
              <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3 px-4 pt-3 pb-2">
                <SelectField
                  label={t('show')}
                  value={state ?? ''}
                  onChange={({ target }) =>
                    navigate({
                      search: (known) => ({ ...known, mappings: (target.value || undefined) as typeof state, page: undefined }),
                      replace: true,
                    })
                  }
                  options={[
                    ['', t('all', { count: all.length })],
                    ['open', t('open', { count: proposals.length })],
                    ['confirmed', t('confirmed', { count: all.length - proposals.length })],
                  ]}
                />
                <p className="max-w-prose text-sm text-soft">{t('effect')}</p>
              </div>
              {shown.length === 0 ? (
                <Empty title={t(state === 'open' ? 'noneOpen' : 'noneConfirmed')} />
              ) : (
                <MappingsTable
                  mappings={shown.slice((current - 1) * PAGE_SIZE, current * PAGE_SIZE)}
                  chosen={chosen}
                  onChoose={choose}
                  onConfirm={(id) => confirm.mutate([id])}
                  confirming={confirm.isPending ? confirm.variables : []}
                  onEdit={setOpen}
                />
              )}
              <Pages
                pagination={{ total: shown.length, page: current, page_size: PAGE_SIZE }}
                onPage={(next) => navigate({ search: (known) => ({ ...known, page: next }) })}
              />
            </>
          )
        }
      </Loaded>
      <Suspense>
        {open === 'suggest' ? (
          <SuggestDialog machineId={machineId} known={query.data ?? []} onClose={() => setOpen(null)} />
        ) : open ? (
          <MappingDialog mapping={open} onClose={() => setOpen(null)} />
        ) : null}
      </Suspense>
    </Panel>
  )
}
