import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { KeysTable } from '../../app/keys-table.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'

/** The keys of the last weeks: which agent used which, and a way to take an unused one back. */
export function EnrolmentKeys() {
  const t = useTranslations('enrol')
  const format = useFormat()
  const query = useQuery(apiQuery('/enrolment-keys'))
  // who has no keys yet needs no list of them
  if (query.data?.length === 0) return null
  const stateOf = ({ status, used_at, used_by_agent, expires_at }: Schemas['EnrolmentKey']) =>
    status === 'used'
      ? t('usedBy', { agent: used_by_agent ?? '–', at: used_at ? format.dateTime(used_at) : '–' })
      : t(status === 'unused' ? 'unusedUntil' : 'expiredAt', { at: format.dateTime(expires_at) })
  return (
    <Panel title={t('keys')}>
      <Loaded query={query} label={t('keys')} rows={2}>
        {(keys) => (
          <KeysTable
            label={t('keys')}
            keys={keys}
            heads={{ name: t('name'), prefix: t('keyPrefix'), state: t('keyState') }}
            stateOf={stateOf}
            deleteTitle={({ name }) => t('deleteKey', { name })}
            deleteText={({ status }) => t(status === 'used' ? 'deleteUsedText' : 'deleteKeyText')}
            remove={({ id }) =>
              unwrap(api.DELETE('/enrolment-keys/{enrolment_key_id}', { params: { path: { enrolment_key_id: id } } }))
            }
          />
        )}
      </Loaded>
    </Panel>
  )
}
