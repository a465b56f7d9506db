import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { download } from '../../api/download.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { useMe } from '../../app/me.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Panel, SkeletonRows } from '../../kit/layout.tsx'
import { toast } from '../../kit/toast.tsx'

/** Files and photos of a work order; a phone offers its camera. */
export function Attachments({ order }: { order: Schemas['WorkOrder'] }) {
  const t = useTranslations('work')
  const format = useFormat()
  const faultText = useFaultText()
  const client = useQueryClient()
  const { may } = useMe()
  const { data } = useQuery(
    apiQuery('/attachments/work-order/{work_order_id}', { params: { path: { work_order_id: order.id } } }),
  )
  const upload = useMutation({
    mutationFn: (file: File) => {
      const form = new FormData()
      form.set('file', file)
      const params = { query: { work_order_id: order.id } }
      return unwrap(api.POST('/attachments', { params, body: form as never, bodySerializer: (body) => body as never }))
    },
    onError: (error) => toast('critical', faultText(error)),
    onSettled: () => client.invalidateQueries({ queryKey: ['/attachments/work-order/{work_order_id}'] }),
  })
  const mayAdd = may('operator') && order.signoff_count === 0
  return (
    <Panel title={t('attachments')}>
      {!data ? (
        <SkeletonRows rows={2} label={t('attachments')} />
      ) : data.length === 0 ? (
        <p className="p-4 text-soft">{t('noAttachments')}</p>
      ) : (
        <ul className="divide-y divide-line">
          {data.map((file) => (
            <li key={file.id} className="flex items-center justify-between gap-3 px-4 py-2.5">
              <button
                type="button"
                className="min-w-0 truncate text-left font-medium text-brand underline"
                onClick={() =>
                  download(`/attachments/${file.id}/download`, file.filename).catch((error) =>
                    toast('critical', faultText(error)),
                  )
                }
              >
                {file.filename}
              </button>
              <span className="tabular text-sm whitespace-nowrap text-soft">
                {t('megabytes', { size: format.number(file.size_bytes / 1e6) })}
              </span>
            </li>
          ))}
        </ul>
      )}
      {mayAdd ? (
        <div className="border-t border-line p-4">
          <label className="flex flex-col gap-1 text-sm font-semibold">
            {t(upload.isPending ? 'uploading' : 'addAttachment')}
            <input
              type="file"
              accept="image/*,application/pdf,*/*"
              disabled={upload.isPending}
              className="control w-full font-normal"
              onChange={({ target }) => {
                const [file] = target.files ?? []
                if (file) upload.mutate(file)
                target.value = ''
              }}
            />
          </label>
        </div>
      ) : null}
    </Panel>
  )
}
