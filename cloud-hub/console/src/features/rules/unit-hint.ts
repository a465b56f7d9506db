import { useTranslations } from 'use-intl'
import { useFormat } from '../../i18n/format.tsx'

/** In which unit a threshold is entered, and what that is in the unit of the machines, which the hub compares. */
export function useUnitHint(): (units: readonly string[], value: number | undefined) => string | undefined {
  const t = useTranslations('rules')
  const format = useFormat()
  return ([unit, ...others], value) => {
    if (unit === undefined) return undefined
    if (others.length > 0)
      return t('unitsDiffer', { units: [unit, ...others].map((it) => format.machineUnitLabel(it)).join(', ') })
    const name = format.unitName(unit)
    if (name === '') return undefined
    if (name === format.machineUnitName(unit) || value === undefined) return t('unitHint', { unit: name })
    return t('unitHintOther', { unit: name, value: format.machineValue(value, unit) })
  }
}
