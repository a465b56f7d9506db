import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, unwrap } from '../../api/client.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { CheckField } from '../../kit/field.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { toast } from '../../kit/toast.tsx'

const MAILS = [
  'work_order_assigned',
  'work_order_due',
  'maintenance_reminder',
  'note_mention',
  'role_changed',
  'password_changed',
  'mfa_changed',
] as const

/** Which mails the company sends to its members. */
export function MailsPanel() {
  const t = useTranslations('mails')
  const faultText = useFaultText()
  const client = useQueryClient()
  const query = apiQuery('/settings/email-notifications')
  const mails = useQuery(query)
  const set = useMutation({
    mutationFn: (prefs: Record<string, boolean>) => unwrap(api.PATCH('/settings/email-notifications', { body: { prefs } })),
    onMutate: async (prefs) => {
      await client.cancelQueries({ queryKey: query.queryKey })
      const before = client.getQueryData(query.queryKey)
      client.setQueryData(query.queryKey, (known) => (known ? { ...known, prefs: { ...known.prefs, ...prefs } } : known))
      return { before }
    },
    onError: (error, _prefs, context) => {
      client.setQueryData(query.queryKey, context?.before)
      toast('critical', faultText(error))
    },
    onSuccess: (changed) => client.setQueryData(query.queryKey, changed),
  })
  return (
    <Panel title={t('title')}>
      <Loaded query={mails} label={t('title')}>
        {({ prefs }) => (
          <div className="flex flex-col gap-3 p-4">
            <p className="text-sm text-soft">{t('text')}</p>
            {MAILS.map((mail) => (
              <CheckField
                key={mail}
                label={t(`kinds.${mail}`)}
                checked={prefs[mail] ?? true}
                onChange={({ target }) => set.mutate({ [mail]: target.checked })}
              />
            ))}
          </div>
        )}
      </Loaded>
    </Panel>
  )
}
