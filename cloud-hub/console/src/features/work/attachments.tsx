import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, POLLED, type Schemas, unwrap } from '../../api/client.ts'
import { download } from '../../api/download.ts'
import { refreshStale } from '../../api/stale-queries.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { toast } from '../../kit/toast.tsx'

type Owner = { work_order_id: string } | { event_id: string }

const listOf = (owner: Owner) =>
  'event_id' in owner
    ? apiQuery('/attachments/maintenance/{event_id}', { params: { path: owner } })
    : apiQuery('/attachments/work-order/{work_order_id}', { params: { path: owner } })

/** Files and photos of a work order or a maintenance event; a phone offers its camera. */
export function Attachments({ of: owner, mayChange }: { of: Owner; mayChange: boolean }) {
  const t = useTranslations('work')
  const common = useTranslations('common')
  const format = useFormat()
  const faultText = useFaultText()
  const client = useQueryClient()
  const [deleting, setDeleting] = useState<Schemas['Attachment'] | null>(null)
  const query = listOf(owner)
  const result = useQuery({ ...query, queryFn: query.queryFn as () => Promise<Schemas['Attachment'][]>, ...POLLED })
  const upload = useMutation({
    // a slow network shows each file as soon as it has arrived; a refused one does not stop the others
    mutationFn: async (files: readonly File[]) => {
      const params = { query: 'event_id' in owner ? { maintenance_event_id: owner.event_id } : owner }
      for (const file of files) {
        const form = new FormData()
        form.set('file', file)
        await unwrap(api.POST('/attachments', { params, body: form as never, bodySerializer: (body) => body as never })).catch(
          (error) => toast('critical', `${file.name}: ${faultText(error)}`),
        )
        await refreshStale(client)
      }
    },
  })
  return (
    <Panel title={t('attachments')}>
      <Loaded query={result} label={t('attachments')} rows={2}>
        {(data) =>
          data.length === 0 ? (
            <p className="p-4 text-soft">{t('noAttachments')}</p>
          ) : (
            <ul className="divide-y divide-line">
              {data.map((file) => (
                <li key={file.id} className="flex items-center justify-between gap-3 px-4 py-2">
                  <button
                    type="button"
                    className="min-w-0 flex-1 truncate text-left font-medium text-brand underline"
                    onClick={() =>
                      download(`/attachments/${file.id}/download`, file.filename).catch((error) =>
                        toast('critical', faultText(error)),
                      )
                    }
                  >
                    {file.filename}
                  </button>
                  <span className="tabular text-sm whitespace-nowrap text-soft">{format.bytes(file.size_bytes)}</span>
                  {mayChange ? (
                    <Button
                      look="quiet"
                      className="-my-1.5 no-print"
                      aria-label={t('removeAttachment', { name: file.filename })}
                      onPress={() => setDeleting(file)}
                    >
                      <Icon name="cross" className="size-4 text-soft" />
                    </Button>
                  ) : null}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {mayChange ? (
        <div className="no-print border-t border-line p-4">
          <label className="flex flex-col gap-1 text-sm font-medium">
            {t(upload.isPending ? 'uploading' : 'addAttachment')}
            <input
              type="file"
              accept="image/*,application/pdf,*/*"
              multiple
              // a file that is chosen meanwhile would be lost
              disabled={upload.isPending}
              className="control w-full font-normal"
              onChange={({ target }) => {
                const files = [...(target.files ?? [])]
                if (files.length > 0) upload.mutate(files)
                target.value = ''
              }}
            />
          </label>
        </div>
      ) : null}
      {deleting ? (
        <ConfirmDialog
          title={t('removeAttachment', { name: deleting.filename })}
          text={t('removeAttachmentText')}
          confirm={common('delete')}
          run={() => unwrap(api.DELETE('/attachments/{attachment_id}', { params: { path: { attachment_id: deleting.id } } }))}
          onClose={() => setDeleting(null)}
        />
      ) : null}
    </Panel>
  )
}
