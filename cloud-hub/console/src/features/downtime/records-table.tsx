import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api, unwrap } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useFaultText } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { RowMenu } from '../../kit/row-menu.tsx'
import { Table } from '../../kit/table.tsx'
import { toast } from '../../kit/toast.tsx'
import { useReasonLabel } from './reason-label.ts'
import { type DowntimeRecord, useReasonCodes } from './records.ts'

/** Downtime records: text, and one menu in which operators classify and edit them. */
export function RecordsTable({
  records,
  isOfFleet = false,
  onEdit,
}: {
  records: readonly DowntimeRecord[]
  /** true: each record has a link to its machine */
  isOfFleet?: boolean
  onEdit(record: DowntimeRecord): void
}) {
  const t = useTranslations('downtime')
  const common = useTranslations('common')
  const { may } = useMe()
  const format = useFormat()
  const faultText = useFaultText()
  const { data: codes = [] } = useReasonCodes()
  const labelOf = useReasonLabel()
  const classify = useMutation({
    mutationFn: ({ record, codeId, type }: { record: DowntimeRecord; codeId: string; type?: DowntimeRecord['reason_type'] }) => {
      const params = { path: { machine_id: record.machine_id, record_id: record.id } }
      const body = { reason_code_id: codeId || null, ...(type ? { reason_type: type } : {}) }
      return unwrap(api.PUT('/machines/{machine_id}/downtime/{record_id}', { params, body }))
    },
    onSuccess: (_, { record, type }) => {
      const before = { record, codeId: record.reason_code_id ?? '', type: record.reason_type }
      // an undo is not undone
      toast('healthy', t('saved'), type ? undefined : { text: common('undo'), run: () => classify.mutate(before) })
    },
    onError: (error) => toast('critical', faultText(error)),
  })
  // while a classification is under way, the chosen code shows
  const codeOf = (record: DowntimeRecord) =>
    classify.isPending && classify.variables.record.id === record.id ? classify.variables.codeId : (record.reason_code_id ?? '')
  const reasonText = (record: DowntimeRecord) => {
    const code = codes.find(({ id }) => id === codeOf(record)) ?? (codeOf(record) ? record.reason_code : null)
    return code ? labelOf(code) : t(`types.${record.reason_type}`)
  }
  const actionsOf = (record: DowntimeRecord) => {
    const codeId = codeOf(record)
    const reasonOf = (id: string, text: string) => ({
      text,
      isChosen: id === codeId,
      onPress: () => (id === codeId ? undefined : classify.mutate({ record, codeId: id })),
    })
    return [
      [{ text: common('edit'), onPress: () => onEdit(record) }],
      [reasonOf('', t(`types.${record.reason_type}`)), ...codes.map((code) => reasonOf(code.id, labelOf(code)))],
    ]
  }
  return (
    <Table label={t('records')}>
      <thead>
        <tr>
          {isOfFleet ? <th>{t('machine')}</th> : null}
          <th>{t('began')}</th>
          <th className="text-right">{t('duration')}</th>
          <th>{t('reason')}</th>
          <th>{t('source')}</th>
          <th>{t('note')}</th>
          {may('operator') ? (
            <th>
              <span className="sr-only">{common('edit')}</span>
            </th>
          ) : null}
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <tr key={record.id}>
            {isOfFleet ? (
              <td>
                <Link to="/machines/$machineId" params={{ machineId: record.machine_id }} search={{ tab: 'downtime' }}>
                  {record.machine_name}
                </Link>
              </td>
            ) : null}
            <td className="whitespace-nowrap">{format.dateTime(record.started_at)}</td>
            <td className="tabular text-right whitespace-nowrap">
              {record.ended_at === null || record.duration_minutes === null ? (
                <span className="font-medium text-critical">{t('ongoing')}</span>
              ) : (
                format.duration(record.duration_minutes)
              )}
            </td>
            <td>{reasonText(record)}</td>
            <td>{t(`sources.${record.source}`)}</td>
            <td>{record.reason_note ?? ''}</td>
            {may('operator') ? (
              <td className="text-right">
                <RowMenu label={t('actionsOf', { at: format.dateTime(record.started_at) })} groups={() => actionsOf(record)} />
              </td>
            ) : null}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
