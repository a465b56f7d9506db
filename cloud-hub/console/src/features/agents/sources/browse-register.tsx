import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, unwrap } from '../../../api/client.ts'
import { SOURCE_BROWSE_TABLE } from '../../../api/enums.ts'
import { SOURCE_BROWSE_ADDRESS_MAX, SOURCE_BROWSE_ADDRESS_MIN } from '../../../api/limits.ts'
import { useFaultText, useReportedFault } from '../../../i18n/fault-text.ts'
import { useFormat } from '../../../i18n/format.tsx'
import { Button } from '../../../kit/button.tsx'
import { SelectField, TextField } from '../../../kit/field.tsx'
import { formText } from '../../../kit/form-text.ts'
import { Notice } from '../../../kit/notice.tsx'
import type { Register, RegisterTable, Source } from './source.ts'

/** Reads a Modbus register through the agent, and shows what it holds in every type and byte order, to choose from. */
export function BrowseRegister({ source, onAdd }: { source: Source; onAdd(register: Register): void }) {
  const t = useTranslations('sources')
  const format = useFormat()
  const faultText = useFaultText()
  const reported = useReportedFault()
  const [table, setTable] = useState<RegisterTable>('holding')
  const browse = useMutation({
    mutationFn: (body: { table: RegisterTable; address: number }) =>
      unwrap(
        api.POST('/ingest-sources/{source_id}/browse', {
          params: { path: { source_id: source.id } },
          body: { ...body, page: 1, page_size: 1 },
        }),
      ),
  })
  const { data, variables } = browse
  const values = data?.registers?.values ?? []
  return (
    <section className="flex flex-col gap-3" aria-label={t('read')}>
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(submit) => {
          submit.preventDefault()
          browse.mutate({ table, address: Number(formText(submit.currentTarget)('address')) })
        }}
      >
        <SelectField
          label={t('table')}
          value={table}
          onChange={({ target }) => setTable(target.value as RegisterTable)}
          options={SOURCE_BROWSE_TABLE.map((it) => [it, t(`tables.${it}`)] as const)}
          className="mb-5.5"
        />
        <TextField
          label={t('register')}
          name="address"
          type="number"
          min={SOURCE_BROWSE_ADDRESS_MIN}
          max={SOURCE_BROWSE_ADDRESS_MAX}
          required
          hint={t('registerHint')}
          className="w-64"
        />
        <Button type="submit" isPending={browse.isPending} className="mb-5.5">
          {t(browse.isPending ? 'asking' : 'read')}
        </Button>
      </form>
      {browse.error ? <Notice tone="critical">{faultText(browse.error)}</Notice> : null}
      {data?.error ? <Notice tone="critical">{reported(data.error_fault, data.error)}</Notice> : null}
      {data?.registers && variables ? (
        <>
          <p className="text-sm text-soft">
            {t('words', {
              words: data.registers.words.map((word) => word.toString(16).padStart(4, '0').toUpperCase()).join(' '),
            })}
          </p>
          <ul className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3">
            {values.map(({ data_type, byte_order, value, is_likely }) => (
              <li key={`${data_type} ${byte_order}`}>
                <Button
                  className={`w-full justify-between! ${is_likely ? 'border-brand!' : ''}`}
                  isDisabled={value === null}
                  onPress={() =>
                    onAdd({ ...variables, data_type, byte_order, metric_name: '', unit: data_type === 'bool' ? 'bool' : '' })
                  }
                >
                  <span className="text-soft">
                    {data_type} {byte_order}
                  </span>
                  <span className="tabular">
                    {value === null ? '–' : format.number(value)}
                    {is_likely ? ' *' : ''}
                  </span>
                </Button>
              </li>
            ))}
          </ul>
          <p className="text-sm text-soft">{t('likely')}</p>
        </>
      ) : null}
    </section>
  )
}
