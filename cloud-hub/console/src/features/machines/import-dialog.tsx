import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, unwrap } from '../../api/client.ts'
import { download } from '../../api/download.ts'
import { useFaultText } from '../../app/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Table } from '../../kit/table.tsx'
import { type Preview, readPreview } from './import-preview.ts'

const ERRORS_SHOWN = 100

/** Imports machines from a CSV or Excel file: shows its first rows before, and what was wrong with which row after. */
export function ImportDialog({ onClose }: { onClose(): void }) {
  const t = useTranslations()
  const faultText = useFaultText()
  const client = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const [preview, setPreview] = useState<Preview | null>(null)
  const send = useMutation({
    mutationFn: (chosen: File) => {
      const form = new FormData()
      form.set('file', chosen)
      return unwrap(api.POST('/machines/import', { body: form as never, bodySerializer: (body) => body as never }))
    },
    onSuccess: () => Promise.all(['/machines', '/fleet/overview'].map((path) => client.invalidateQueries({ queryKey: [path] }))),
  })
  const choose = async (chosen: File | undefined) => {
    send.reset()
    setFile(chosen ?? null)
    setPreview(chosen ? await readPreview(chosen) : null)
  }
  const result = send.data
  return (
    <Dialog title={t('import.title')} onClose={onClose} isBusy={send.isPending} width="max-w-3xl">
      <p>{t('import.text')}</p>
      <div className="flex flex-wrap items-center gap-3">
        <label className="flex flex-col gap-1 text-sm font-semibold">
          {t('import.file')}
          <input
            type="file"
            accept=".csv,.xlsx,text/csv"
            className="control font-normal"
            onChange={({ target }) => choose(target.files?.[0])}
          />
        </label>
        <Button look="quiet" onPress={() => download('/machines/import/template', 'machines.csv')}>
          {t('import.template')}
        </Button>
      </div>
      {preview && !result ? (
        preview.rows.length === 0 ? (
          <Notice tone="info">{t('import.noPreview')}</Notice>
        ) : (
          <Table label={t('import.preview', { rows: String(preview.rows.length) })}>
            <thead>
              <tr>
                {preview.header.map((name) => (
                  <th key={name}>{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {preview.rows.map((row) => (
                <tr key={row.number}>
                  {preview.header.map((name, column) => (
                    <td key={name}>{row.cells[column]}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </Table>
        )
      ) : null}
      {send.error ? <Notice tone="critical">{faultText(send.error)}</Notice> : null}
      {result ? (
        <>
          <Notice tone={result.failed_count > 0 ? 'warning' : 'healthy'}>
            {t('import.result', { success: result.success_count, failed: result.failed_count })}
          </Notice>
          {result.errors.length > 0 ? (
            <Table label={t('import.errors')}>
              <thead>
                <tr>
                  <th>{t('import.row')}</th>
                  <th>{t('import.reason')}</th>
                </tr>
              </thead>
              <tbody>
                {result.errors.slice(0, ERRORS_SHOWN).map(({ row, reason }) => (
                  <tr key={`${row} ${reason}`}>
                    <td className="tabular">{row}</td>
                    <td>{reason}</td>
                  </tr>
                ))}
              </tbody>
            </Table>
          ) : null}
        </>
      ) : null}
      <DialogActions>
        <Button onPress={onClose}>{t('common.close')}</Button>
        {result ? null : (
          <Button look="primary" isDisabled={!file} isPending={send.isPending} onPress={() => file && send.mutate(file)}>
            {t('import.submit')}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}
