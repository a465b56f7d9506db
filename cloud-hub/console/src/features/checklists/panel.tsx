import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'

const ChecklistDialog = lazy(() => import('./checklist-dialog.tsx').then((it) => ({ default: it.ChecklistDialog })))

type Checklist = Schemas['Checklist']

/** Templates of the steps that maintenance puts into its work orders. */
export function ChecklistsPanel() {
  const t = useTranslations('checklists')
  const common = useTranslations('common')
  const format = useFormat()
  const { may } = useMe()
  const [shown, setShown] = useState<Checklist | 'new' | null>(null)
  const [deleting, setDeleting] = useState<Checklist | null>(null)
  const checklists = useQuery(apiQuery('/checklists'))
  return (
    <Panel
      title={t('title')}
      actions={
        may('admin') ? (
          <Button look="primary" onPress={() => setShown('new')}>
            {t('add')}
          </Button>
        ) : null
      }
    >
      <Loaded query={checklists} label={t('title')} rows={3}>
        {(list) =>
          list.length === 0 ? (
            <Empty title={t('none')}>{t('noneText')}</Empty>
          ) : (
            <ul className="divide-y divide-line">
              {list.map((checklist) => (
                <li key={checklist.id} className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-3">
                  <details className="min-w-0 flex-1 basis-64">
                    <summary className="cursor-pointer">
                      <span className="font-medium">{checklist.name}</span>
                      <span className="ml-2 text-sm text-soft">{t('steps', { count: checklist.steps.length })}</span>
                    </summary>
                    <ol className="mt-2 list-decimal pl-6 text-sm">
                      {checklist.steps.map((step, index) => (
                        // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other identity
                        <li key={index}>
                          {step.title}
                          {step.body ? <span className="block whitespace-pre-wrap text-soft">{step.body}</span> : null}
                        </li>
                      ))}
                    </ol>
                    <p className="mt-2 text-sm text-soft">{t('changed', { at: format.date(checklist.updated_at) })}</p>
                  </details>
                  {may('admin') ? (
                    <span className="-my-1.5 flex gap-2">
                      <Button look="quiet" aria-label={t('editOf', { name: checklist.name })} onPress={() => setShown(checklist)}>
                        {common('edit')}
                      </Button>
                      <Button
                        look="quiet"
                        aria-label={t('deleteOf', { name: checklist.name })}
                        onPress={() => setDeleting(checklist)}
                      >
                        {common('delete')}
                      </Button>
                    </span>
                  ) : null}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Suspense>
        {shown ? <ChecklistDialog {...(shown === 'new' ? {} : { checklist: shown })} onClose={() => setShown(null)} /> : null}
      </Suspense>
      {deleting ? (
        <ConfirmDialog
          title={t('deleteOf', { name: deleting.name })}
          text={t('deleteText')}
          confirm={common('delete')}
          run={() => unwrap(api.DELETE('/checklists/{checklist_id}', { params: { path: { checklist_id: deleting.id } } }))}
          onClose={() => setDeleting(null)}
        />
      ) : null}
    </Panel>
  )
}
