import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { groupOptions } from '../../app/machine-groups.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { SelectField } from '../../kit/field.tsx'
import { toast } from '../../kit/toast.tsx'

/** Where an agent is: its site or another group. A choice is saved at once. */
export function GroupField({ agent }: { agent: Schemas['FleetAgent'] }) {
  const t = useTranslations()
  const faultText = useFaultText()
  const { data: tree } = useQuery(apiQuery('/machine-groups/tree'))
  const save = useMutation({
    mutationFn: (group_id: string | null) =>
      unwrap(api.PATCH('/agent/fleet/{agent_id}', { params: { path: { agent_id: agent.agent_id } }, body: { group_id } })),
    onSuccess: () => toast('healthy', t('common.saved')),
    onError: (error) => toast('critical', faultText(error)),
  })
  if (!tree?.length && !agent.group_id) return null
  // until the groups have loaded
  const own = agent.group_id && !tree ? [[agent.group_id, agent.group_name ?? ''] as const] : []
  return (
    <SelectField
      label={t('agents.group')}
      hint={t('agents.groupHint')}
      className="max-w-sm px-4 pb-4"
      value={save.isPending ? (save.variables ?? '') : (agent.group_id ?? '')}
      disabled={save.isPending}
      actsAtOnce
      onChange={({ target }) => save.mutate(target.value || null)}
      options={[['', t('agents.noGroup')], ...own, ...groupOptions(tree ?? [])]}
    />
  )
}
