import { useTranslations } from 'use-intl'
import { ERP_SYNC_LOG_STATUS } from '../../api/enums.ts'
import { SelectField } from '../../kit/field.tsx'
import { ENTITIES } from './providers.ts'

export const STATUSES = ERP_SYNC_LOG_STATUS

/** Filters of a sync log; the address holds them. */
export function LogFilters({
  status,
  entity,
  onFilter,
}: {
  status: string | undefined
  entity: string | undefined
  onFilter(change: Record<string, string | undefined>): void
}) {
  const t = useTranslations()
  return (
    <>
      <SelectField
        label={t('erp.outcome')}
        value={status ?? ''}
        onChange={({ target }) => onFilter({ status: target.value || undefined })}
        options={[['', t('filter.all')], ...STATUSES.map((it) => [it, t(`erp.statuses.${it}`)] as const)]}
      />
      <SelectField
        label={t('erp.entity')}
        value={entity ?? ''}
        onChange={({ target }) => onFilter({ entity: target.value || undefined })}
        options={[['', t('filter.all')], ...ENTITIES.map((it) => [it, t(`erp.entities.${it}`)] as const)]}
      />
    </>
  )
}
