import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { ERP_PREVIEW_CREATE_ENTITY_TYPE } from '../../api/enums.ts'
import { useFaultText, useReportedFault } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { SelectField } from '../../kit/field.tsx'
import { SkeletonRows } from '../../kit/layout.tsx'
import { Notice } from '../../kit/notice.tsx'

type Sent = Schemas['ErpPreviewCreate']['entity_type']
const SENT = ERP_PREVIEW_CREATE_ENTITY_TYPE
const PAGE = { page: 1, page_size: 50 }

/** The latest records of an entity, for a choice. */
function useRecords(entity: Sent): readonly (readonly [id: string, name: string])[] | undefined {
  const format = useFormat()
  const orders = useQuery({
    ...apiQuery('/work-orders', { params: { query: PAGE } }),
    enabled: entity === 'work_order',
  })
  const logs = useQuery({
    ...apiQuery('/shifts/logs', { params: { query: { ...PAGE, status: 'completed' } } }),
    enabled: entity === 'production_data',
  })
  const stops = useQuery({
    ...apiQuery('/fleet/downtime', { params: { query: PAGE } }),
    enabled: entity === 'downtime',
  })
  if (entity === 'work_order') return orders.data?.items.map(({ id, title }) => [id, title] as const)
  if (entity === 'production_data')
    return logs.data?.items.map(
      ({ id, shift_name, actual_start }) => [id, `${shift_name}, ${format.dateTime(actual_start)}`] as const,
    )
  return stops.data?.items.map(({ id, started_at }) => [id, format.dateTime(started_at)] as const)
}

/** Shows the request that a sync would make for one record; nothing is sent. */
export function PreviewDialog({ connection, onClose }: { connection: Schemas['ErpConnection']; onClose(): void }) {
  const t = useTranslations()
  const faultText = useFaultText()
  const [entity, setEntity] = useState<Sent>('work_order')
  const [chosen, setChosen] = useState('')
  const records = useRecords(entity)
  const recordId = chosen || records?.[0]?.[0]
  const preview = useMutation({
    mutationFn: (entity_id: string) =>
      unwrap(
        api.POST('/erp/connections/{connection_id}/preview', {
          params: { path: { connection_id: connection.id } },
          body: { entity_type: entity, entity_id },
        }),
      ),
  })
  return (
    <Dialog title={t('erp.preview')} onClose={onClose} width="max-w-3xl">
      <p className="text-soft">{t('erp.previewText')}</p>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('erp.entity')}
          value={entity}
          onChange={({ target }) => {
            setEntity(target.value as Sent)
            setChosen('')
            preview.reset()
          }}
          options={SENT.map((it) => [it, t(`erp.entities.${it}`)] as const)}
        />
        {records?.length === 0 ? (
          <p className="self-end pb-2 text-soft">{t('erp.noRecords')}</p>
        ) : (
          <SelectField
            label={t('erp.record')}
            value={recordId ?? ''}
            onChange={({ target }) => {
              setChosen(target.value)
              preview.reset()
            }}
            options={records ?? []}
          />
        )}
      </div>
      {preview.isPending ? <SkeletonRows rows={3} label={t('common.loading')} /> : null}
      {preview.error ? <Notice tone="critical">{faultText(preview.error)}</Notice> : null}
      {preview.data ? <Result preview={preview.data} /> : null}
      <DialogActions>
        <Button onPress={onClose}>{t('common.close')}</Button>
        <Button
          look="primary"
          isDisabled={!recordId}
          isPending={preview.isPending}
          onPress={() => recordId && preview.mutate(recordId)}
        >
          {t('erp.show')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Result({ preview }: { preview: Schemas['ErpPreview'] }) {
  const t = useTranslations('erp')
  const reported = useReportedFault()
  return (
    <div className="flex flex-col gap-3">
      <p>
        {t(`actions.${preview.action}`)} {preview.action !== 'none' && !preview.is_changed ? t('unchanged') : null}
      </p>
      {preview.problems.map((problem, index) => (
        <Notice key={problem} tone="warning">
          {reported(preview.faults?.[index], problem)}
        </Notice>
      ))}
      {preview.request ? (
        <>
          <code className="text-sm">
            {preview.request.method} {preview.request.url}
          </code>
          {preview.request.body === undefined ? null : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            <pre tabIndex={0} className="max-h-80 overflow-auto rounded-lg border border-line bg-ground p-3 text-sm">
              {JSON.stringify(preview.request.body, null, 2)}
            </pre>
          )}
        </>
      ) : null}
    </div>
  )
}
