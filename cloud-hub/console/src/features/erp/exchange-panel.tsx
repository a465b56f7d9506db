import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import {
  ERP_CONNECTION_PATCH_SYNC_INTERVAL_MINUTES_MAX,
  ERP_CONNECTION_PATCH_SYNC_INTERVAL_MINUTES_MIN,
} from '../../api/limits.ts'
import { useMe } from '../../app/me.tsx'
import { useFaultText, useReportedFault } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { CheckField, TextField } from '../../kit/field.tsx'
import { formText } from '../../kit/form-text.ts'
import { Panel } from '../../kit/layout.tsx'
import { toast } from '../../kit/toast.tsx'
import { directionOf, ENTITIES, type Entity, TOGGLES } from './providers.ts'

/** What the connection exchanges by itself, and a way to do it now. */
export function ExchangePanel({ connection }: { connection: Schemas['ErpConnection'] }) {
  const t = useTranslations('erp')
  const { may } = useMe()
  const change = useChange(connection)
  const sync = useSync(connection.id)
  return (
    <Panel title={t('exchange')}>
      <ul className="divide-y divide-line">
        {ENTITIES.map((entity) => (
          <li key={entity} className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
            <div>
              <p className="font-medium">{t(`entities.${entity}`)}</p>
              <p className="text-sm text-soft">{t(`directions.${directionOf(entity)}`)}</p>
            </div>
            <span className="flex items-center gap-4">
              <CheckField
                label={t('automatic')}
                aria-label={t('automaticOf', { entity: t(`entities.${entity}`) })}
                checked={connection[TOGGLES[entity]]}
                disabled={!may('admin')}
                onChange={({ target }) => change.mutate({ [TOGGLES[entity]]: target.checked })}
              />
              {may('operator') && connection.is_active ? (
                <Button
                  aria-label={t('syncOf', { entity: t(`entities.${entity}`) })}
                  isPending={sync.isPending && sync.variables === entity}
                  isDisabled={sync.isPending && sync.variables !== entity}
                  onPress={() => sync.mutate(entity)}
                >
                  {t('syncNow')}
                </Button>
              ) : null}
            </span>
          </li>
        ))}
      </ul>
      <form
        className="flex flex-wrap items-end gap-3 border-t border-line p-4"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate({ sync_interval_minutes: Number(formText(event.currentTarget)('interval')) })
        }}
      >
        <TextField
          key={connection.sync_interval_minutes}
          label={t('interval')}
          name="interval"
          type="number"
          min={ERP_CONNECTION_PATCH_SYNC_INTERVAL_MINUTES_MIN}
          max={ERP_CONNECTION_PATCH_SYNC_INTERVAL_MINUTES_MAX}
          required
          disabled={!may('admin')}
          defaultValue={connection.sync_interval_minutes}
        />
        {may('admin') ? (
          <Button type="submit" isPending={change.isPending}>
            {t('setInterval')}
          </Button>
        ) : null}
      </form>
    </Panel>
  )
}

/** Changes the connection at once on the page, and undoes it when the hub refuses. */
function useChange({ id }: Schemas['ErpConnection']) {
  const t = useTranslations('common')
  const faultText = useFaultText()
  const client = useQueryClient()
  const params = { path: { connection_id: id } }
  const { queryKey } = apiQuery('/erp/connections/{connection_id}', { params })
  return useMutation({
    mutationFn: (body: Schemas['ErpConnectionPatch']) => unwrap(api.PATCH('/erp/connections/{connection_id}', { params, body })),
    onMutate: async (body) => {
      await client.cancelQueries({ queryKey })
      const before = client.getQueryData(queryKey)
      client.setQueryData(queryKey, (known) => (known ? ({ ...known, ...body } as typeof known) : known))
      return { before }
    },
    onError: (error, _body, context) => {
      client.setQueryData(queryKey, context?.before)
      toast('critical', faultText(error))
    },
    onSuccess: () => toast('healthy', t('saved')),
  })
}

function useSync(connectionId: string) {
  const t = useTranslations('erp')
  const faultText = useFaultText()
  const reported = useReportedFault()
  return useMutation({
    mutationFn: (entity_type: Entity) =>
      unwrap(
        api.POST('/erp/connections/{connection_id}/sync', {
          params: { path: { connection_id: connectionId } },
          body: { direction: directionOf(entity_type), entity_type },
        }),
      ),
    onSuccess: (entries) => {
      const of = (status: Schemas['ErpSyncLog']['status']) => entries.filter((it) => it.status === status)
      const failed = of('failed')
      const message = reported(failed[0]?.fault, failed[0]?.error_message ?? '')
      if (entries.length === 0) toast('healthy', t('nothingDue'))
      else if (failed.length === 0) toast('healthy', t('synced', { count: of('success').length }))
      else toast('critical', t('syncFailed', { count: failed.length, message }))
    },
    onError: (error) => toast('critical', faultText(error)),
  })
}
