import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import { download } from '../../api/download.ts'
import { useFaultText, useRowText } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { SkeletonRows } from '../../kit/layout.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Table } from '../../kit/table.tsx'
import { toast } from '../../kit/toast.tsx'

const ERRORS_SHOWN = 100

function send(file: File, dryRun: 'true' | 'false') {
  const form = new FormData()
  form.set('file', file)
  const params = { query: { dry_run: dryRun } }
  return unwrap(api.POST('/machines/import', { params, body: form as never, bodySerializer: (body) => body as never }))
}

/** Imports machines from a CSV or Excel file: the hub checks every row of it before anything is created. */
export function ImportDialog({ onClose }: { onClose(): void }) {
  const t = useTranslations()
  const faultText = useFaultText()
  const [file, setFile] = useState<File | null>(null)
  const check = useMutation({ mutationFn: (chosen: File) => send(chosen, 'true') })
  const run = useMutation({
    mutationFn: (chosen: File) => send(chosen, 'false'),
  })
  const choose = (chosen: File | undefined) => {
    run.reset()
    check.reset()
    setFile(chosen ?? null)
    if (chosen) check.mutate(chosen)
  }
  const result = run.data
  const error = run.error ?? check.error
  return (
    <Dialog title={t('import.title')} onClose={onClose} isBusy={run.isPending} width="max-w-3xl">
      <p>{t('import.text')}</p>
      <div className="flex flex-wrap items-end gap-3">
        <label className="flex min-w-0 flex-col gap-1 text-sm font-medium">
          {t('import.file')}
          <input
            type="file"
            accept=".csv,.xlsx,text/csv"
            className="control w-full font-normal"
            onChange={({ target }) => choose(target.files?.[0])}
          />
        </label>
        <Button
          look="quiet"
          onPress={() =>
            download('/machines/import/template', 'machines.csv').catch((error) => toast('critical', faultText(error)))
          }
        >
          {t('import.template')}
        </Button>
      </div>
      {error ? <Notice tone="critical">{faultText(error)}</Notice> : null}
      {check.isPending ? <SkeletonRows rows={3} label={t('import.checking')} /> : null}
      {result ? (
        <>
          <Notice tone={result.failed_count > 0 ? 'warning' : 'healthy'}>
            {t('import.result', { success: result.success_count, failed: result.failed_count })}
          </Notice>
          <RowErrors errors={result.errors} />
        </>
      ) : check.data ? (
        <>
          <Notice tone={check.data.failed_count > 0 ? 'warning' : 'healthy'}>
            {t('import.checked', { success: check.data.success_count, failed: check.data.failed_count })}
          </Notice>
          <RowErrors errors={check.data.errors} />
          <Preview rows={check.data.preview ?? []} errors={check.data.errors} total={check.data.total_rows} />
        </>
      ) : null}
      <DialogActions>
        <Button onPress={onClose}>{t('common.close')}</Button>
        {result ? null : (
          <Button
            look="primary"
            isDisabled={!file || !check.data || check.data.success_count === 0}
            isPending={run.isPending}
            onPress={() => file && run.mutate(file)}
          >
            {t('import.submit')}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

type Errors = Schemas['MachineImport']['errors']

function RowErrors({ errors }: { errors: Errors }) {
  const t = useTranslations('import')
  const rowText = useRowText()
  if (errors.length === 0) return null
  return (
    <Table label={t('errors')}>
      <thead>
        <tr>
          <th>{t('row')}</th>
          <th>{t('reason')}</th>
        </tr>
      </thead>
      <tbody>
        {errors.slice(0, ERRORS_SHOWN).map(({ row, reason, faults }) => (
          <tr key={`${row} ${reason}`}>
            <td className="tabular">{row}</td>
            <td>{rowText(faults)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

/** The first rows as the hub reads them. */
function Preview({
  rows,
  errors,
  total,
}: {
  rows: NonNullable<Schemas['MachineImport']['preview']>
  errors: Errors
  total: number
}) {
  const t = useTranslations('import')
  const failed = new Set(errors.map(({ row }) => row))
  if (rows.length === 0) return null
  const columns = [...new Set(rows.flatMap(({ cells }) => Object.keys(cells)))]
  const label = t('preview', { rows: rows.length, total: total })
  return (
    <>
      <h3 className="font-semibold">{label}</h3>
      <Table label={label}>
        <thead>
          <tr>
            <th>{t('row')}</th>
            {columns.map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, cells }) => (
            <tr key={row} className={failed.has(row) ? 'text-critical' : ''}>
              <td className="tabular">{row}</td>
              {columns.map((name) => (
                <td key={name}>{cells[name]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  )
}
