import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, unwrap } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useFaultText } from '../../i18n/fault-text.ts'
import { CheckField } from '../../kit/field.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { toast } from '../../kit/toast.tsx'

/** Whether every member needs a second factor. */
export function SecurityPanel() {
  const t = useTranslations('security')
  const common = useTranslations('common')
  const faultText = useFaultText()
  const client = useQueryClient()
  const { user } = useMe()
  const query = apiQuery('/settings/security')
  const settings = useQuery(query)
  const save = useMutation({
    mutationFn: (require_mfa: boolean) => unwrap(api.PATCH('/settings/security', { body: { require_mfa } })),
    onSuccess: (saved) => {
      client.setQueryData(query.queryKey, saved)
      toast('healthy', common('saved'))
    },
    onError: (error) => toast('critical', faultText(error)),
  })
  return (
    <Panel title={t('title')}>
      <Loaded query={settings} label={t('title')} rows={2}>
        {({ require_mfa }) => (
          <div className="flex flex-col gap-3 p-4">
            <CheckField
              label={t('requireMfa')}
              hint={t('requireMfaHint')}
              checked={save.isPending ? save.variables : require_mfa}
              onChange={({ target }) => (save.isPending ? undefined : save.mutate(target.checked))}
            />
            {user.mfa_enabled || require_mfa ? null : <p className="text-sm text-soft">{t('ownFirst')}</p>}
          </div>
        )}
      </Loaded>
    </Panel>
  )
}
