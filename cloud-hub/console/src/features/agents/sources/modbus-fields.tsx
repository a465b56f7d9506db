import { useTranslations } from 'use-intl'
import { INGEST_SOURCE_MODBUS_CONFIG_FRAMING } from '../../../api/enums.ts'
import { SelectField, TextField } from '../../../kit/field.tsx'
import type { Source } from './source.ts'

/** The settings of a Modbus source in the form; null for those that have their default. */
export function modbusConfig(text: (name: string) => string): Record<string, string | number | null> {
  const number = (name: string) => (text(name) === '' ? null : Number(text(name)))
  return {
    unit_id: number('unit'),
    answers_as: number('answersAs'),
    framing: text('framing'),
    timeout_ms: number('timeout'),
    max_registers: number('maxRegisters'),
    max_coils: number('maxCoils'),
  }
}

/** How a Modbus device is asked, with the limits that some devices have. */
export function ModbusFields({ config, fields }: { config: Source['config'] | undefined; fields: Record<string, string> }) {
  const t = useTranslations('sources')
  const common = useTranslations('common')
  const optional = (label: string) => `${label} (${common('optional')})`
  const limits = [
    { name: 'timeout', key: 'timeout_ms', min: 50, max: 60_000 },
    { name: 'answersAs', key: 'answers_as', min: 0, max: 255 },
    { name: 'maxRegisters', key: 'max_registers', min: 1, max: 125 },
    { name: 'maxCoils', key: 'max_coils', min: 1, max: 2_000 },
  ] as const
  return (
    <>
      <TextField
        label={t('unit')}
        name="unit"
        type="number"
        min={0}
        max={255}
        required
        defaultValue={config?.unit_id ?? 1}
        fault={fields['config.unit_id']}
      />
      <SelectField
        label={t('framing')}
        name="framing"
        defaultValue={config?.framing ?? 'tcp'}
        options={INGEST_SOURCE_MODBUS_CONFIG_FRAMING.map((it) => [it, t(`framings.${it}`)] as const)}
        fault={fields['config.framing']}
      />
      {limits.map(({ name, key, min, max }) => (
        <TextField
          key={name}
          label={optional(t(name))}
          name={name}
          type="number"
          min={min}
          max={max}
          defaultValue={config?.[key] ?? ''}
          fault={fields[`config.${key}`]}
        />
      ))}
    </>
  )
}
