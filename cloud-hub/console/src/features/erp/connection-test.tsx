import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, unwrap } from '../../api/client.ts'
import { useFaultText, useReportedFault } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Status } from '../../kit/status.tsx'
import { ENTITIES } from './providers.ts'

/** Signs in to the ERP and reads from each path; nothing is written there. */
export function ConnectionTest({ connectionId }: { connectionId: string }) {
  const t = useTranslations('erp')
  const faultText = useFaultText()
  const reported = useReportedFault()
  const test = useMutation({
    mutationFn: () =>
      unwrap(api.POST('/erp/connections/{connection_id}/test', { params: { path: { connection_id: connectionId } } })),
  })
  const result = test.data
  return (
    <Panel
      title={t('testTitle')}
      actions={
        <Button isPending={test.isPending} onPress={() => test.mutate()}>
          {t('test')}
        </Button>
      }
    >
      <div className="flex flex-col gap-3 p-4">
        {test.isPending ? (
          <p role="status">{t('testing')}</p>
        ) : test.error ? (
          <Notice tone="critical">{faultText(test.error)}</Notice>
        ) : result ? (
          <>
            <Notice tone={result.success ? 'healthy' : 'critical'}>{reported(result.fault, result.message)}</Notice>
            {result.authenticated ? (
              <ul className="grid gap-2 sm:grid-cols-2">
                {ENTITIES.map((entity) => {
                  const { ok, message, fault } = result.entities[entity]
                  return (
                    <li key={entity}>
                      <Status tone={ok ? 'healthy' : 'warning'}>{t(`entities.${entity}`)}</Status>
                      <p className="text-sm text-soft">{ok ? t('readable') : reported(fault, message)}</p>
                    </li>
                  )
                })}
              </ul>
            ) : null}
          </>
        ) : (
          <p className="text-soft">{t('testText')}</p>
        )}
      </div>
    </Panel>
  )
}
