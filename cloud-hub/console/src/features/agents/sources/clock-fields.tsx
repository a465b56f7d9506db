import { useTranslations } from 'use-intl'
import { INGEST_SOURCE_OPCUA_CONFIG_TIMESTAMPS } from '../../../api/enums.ts'
import { SelectField, TextField } from '../../../kit/field.tsx'
import type { Source } from './source.ts'

/** Empty: the source, while its clock is right. */

/** Whose clock counts, as the form says; null for those that have their default. */
export const clockConfig = (text: (name: string) => string): Record<string, string | number | null> => ({
  timestamps: text('timestamps') || null,
  max_clock_offset_seconds: text('clockLimit') === '' ? null : Number(text('clockLimit')),
})

/** Whose timestamps the readings of an OPC UA source carry. */
export function ClockFields({ config, fields }: { config: Source['config'] | undefined; fields: Record<string, string> }) {
  const t = useTranslations('sources')
  const common = useTranslations('common')
  return (
    <>
      <SelectField
        label={t('timestamps')}
        name="timestamps"
        defaultValue={config?.timestamps ?? ''}
        options={[
          ['', t('timestampsBy.auto')],
          ...INGEST_SOURCE_OPCUA_CONFIG_TIMESTAMPS.map((it) => [it, t(`timestampsBy.${it}`)] as const),
        ]}
        fault={fields['config.timestamps']}
      />
      <TextField
        label={`${t('clockLimit')} (${common('optional')})`}
        name="clockLimit"
        type="number"
        min={1}
        max={86_400}
        step="any"
        defaultValue={config?.max_clock_offset_seconds ?? ''}
        hint={t('clockLimitHint')}
        fault={fields['config.max_clock_offset_seconds']}
      />
    </>
  )
}
