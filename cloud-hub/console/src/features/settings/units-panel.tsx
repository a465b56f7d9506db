import { UNITS, unitSymbol } from '@haltless/protocol/units'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, unwrap } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useFaultText } from '../../i18n/fault-text.ts'
import { SelectField } from '../../kit/field.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { toast } from '../../kit/toast.tsx'

/** The units in which values are shown; stored readings keep theirs. */
export function UnitsPanel() {
  const t = useTranslations()
  const faultText = useFaultText()
  const client = useQueryClient()
  const { may } = useMe()
  const query = apiQuery('/settings/units')
  const result = useQuery(query)
  const save = useMutation({
    mutationFn: (unit_preferences: Record<string, string>) =>
      unwrap(api.PATCH('/settings/units', { body: { unit_preferences } })),
    onSuccess: (changed) => {
      client.setQueryData(query.queryKey, changed)
      toast('healthy', t('common.saved'))
    },
    onError: (error) => toast('critical', faultText(error)),
  })
  return (
    <Panel title={t('settings.units')}>
      <Loaded query={result} label={t('settings.units')} rows={3}>
        {(data) => (
          <div className="flex flex-col gap-4 p-4">
            <p className="text-sm text-soft">{t('settings.unitsText')}</p>
            {(Object.keys(UNITS) as (keyof typeof UNITS)[]).map((category) => (
              <SelectField
                key={category}
                label={t(`settings.unitKinds.${category}`)}
                actsAtOnce
                value={(save.isPending ? save.variables[category] : undefined) ?? data.unit_preferences[category] ?? ''}
                disabled={!may('operator')}
                onChange={({ target }) => save.mutate({ [category]: target.value })}
                options={UNITS[category].map((unit) => [unit, unitSymbol(unit)] as const)}
              />
            ))}
          </div>
        )}
      </Loaded>
    </Panel>
  )
}
