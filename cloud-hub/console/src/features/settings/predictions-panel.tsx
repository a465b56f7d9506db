import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { CheckField } from '../../kit/field.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { toast } from '../../kit/toast.tsx'

/** Whether a language model may put predictions into words. */
export function PredictionsPanel() {
  const t = useTranslations('predictionSettings')
  const common = useTranslations('common')
  const faultText = useFaultText()
  const client = useQueryClient()
  const query = apiQuery('/settings/predictions')
  const settings = useQuery(query)
  const save = useMutation({
    mutationFn: (narratives_enabled: boolean) => unwrap(api.PATCH('/settings/predictions', { body: { narratives_enabled } })),
    onMutate: async (narratives_enabled) => {
      await client.cancelQueries({ queryKey: query.queryKey })
      const before = client.getQueryData<Schemas['PredictionSettings']>(query.queryKey)
      if (before) client.setQueryData(query.queryKey, { ...before, narratives_enabled })
      return before
    },
    onSuccess: (saved) => {
      client.setQueryData(query.queryKey, saved)
      toast('healthy', common('saved'))
    },
    onError: (error, _, before) => {
      client.setQueryData(query.queryKey, before)
      toast('critical', faultText(error))
    },
  })
  return (
    <Panel title={t('title')}>
      <Loaded query={settings} label={t('title')} rows={2}>
        {({ narratives_enabled, is_provider_configured }) => (
          <div className="flex flex-col gap-3 p-4">
            <CheckField
              label={t('narratives')}
              hint={t('narrativesHint')}
              checked={narratives_enabled}
              onChange={({ target }) => (save.isPending ? undefined : save.mutate(target.checked))}
            />
            {is_provider_configured ? null : <p className="text-sm text-soft">{t('noProvider')}</p>}
          </div>
        )}
      </Loaded>
    </Panel>
  )
}
