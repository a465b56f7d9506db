import { useMutation, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { isApiError } from '../../api/error.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { CopyText } from '../../kit/copy-text.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Status } from '../../kit/status.tsx'
import { toast } from '../../kit/toast.tsx'

const SsoDialog = lazy(() => import('./sso-dialog.tsx').then((it) => ({ default: it.SsoDialog })))

const SSO = apiQuery('/auth/sso/config')
/**
 * Null where the company has none. No other operation tells whether it has, so that the hub answers 404, which browsers log; a visit
 * soon after uses the known answer.
 */
const ssoQuery = {
  queryKey: SSO.queryKey as readonly unknown[],
  queryFn: async (): Promise<Schemas['SsoConfig'] | null> =>
    unwrap(api.GET('/auth/sso/config')).catch((error) => {
      if (isApiError(error) && error.status === 404) return null
      throw error
    }),
  staleTime: 5 * 60_000,
}

/** Sign-in through the identity provider of the company. */
export function SsoPanel() {
  const t = useTranslations()
  const [dialog, setDialog] = useState<'edit' | 'delete' | null>(null)
  const sso = useQuery(ssoQuery)
  return (
    <Panel
      title={t('sso.title')}
      className="max-w-4xl"
      actions={
        sso.data ? (
          <>
            <Button onPress={() => setDialog('edit')}>{t('common.edit')}</Button>
            <Button look="danger" onPress={() => setDialog('delete')}>
              {t('common.delete')}
            </Button>
          </>
        ) : null
      }
    >
      <Loaded query={sso} label={t('sso.title')}>
        {(config) =>
          config ? (
            <Config config={config} />
          ) : (
            <Empty title={t('sso.none')}>
              <p>{t('sso.noneText')}</p>
              <Button look="primary" className="mt-3" onPress={() => setDialog('edit')}>
                {t('sso.setUp')}
              </Button>
            </Empty>
          )
        }
      </Loaded>
      <Suspense>{dialog === 'edit' ? <SsoDialog config={sso.data ?? null} onClose={() => setDialog(null)} /> : null}</Suspense>
      {dialog === 'delete' ? (
        <ConfirmDialog
          title={t('sso.deleteTitle')}
          text={t('sso.deleteText')}
          confirm={t('common.delete')}
          run={() => unwrap(api.DELETE('/auth/sso/config'))}
          onClose={() => setDialog(null)}
        />
      ) : null}
    </Panel>
  )
}

function Config({ config }: { config: Schemas['SsoConfig'] }) {
  const t = useTranslations('sso')
  const facts = [
    [t('provider'), config.provider_name],
    [t('domain'), config.domain],
    [t('discoveryUrl'), config.discovery_url],
    [t('clientId'), config.client_id],
    [t('clientSecret'), t('secretStored')],
    [t('addresses'), t(config.trust_email ? 'addressesTrusted' : 'addressesVerified')],
  ] as const
  return (
    <div className="flex flex-col gap-5 p-4">
      <Status tone={config.domain_verified ? 'healthy' : 'warning'}>
        {t(config.domain_verified ? 'verified' : 'unverified', { domain: config.domain })}
      </Status>
      <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-[auto_minmax(0,1fr)]">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="max-sm:mb-1.5">{value}</dd>
          </div>
        ))}
      </dl>
      <div className="flex flex-col gap-2">
        <h3 className="font-semibold">{t('redirect')}</h3>
        <p className="text-soft">{t('redirectText', { provider: config.provider_name })}</p>
        <CopyText text={config.redirect_uri} />
      </div>
      {config.domain_verified ? null : <DomainProof config={config} />}
    </div>
  )
}

function DomainProof({ config }: { config: Schemas['SsoConfig'] }) {
  const t = useTranslations('sso')
  const faultText = useFaultText()
  const { name, type, value } = config.domain_challenge
  const verify = useMutation({
    mutationFn: () => unwrap(api.POST('/auth/sso/config/verify-domain')),
    onSuccess: () => {
      toast('healthy', t('verified', { domain: config.domain }))
    },
  })
  const isMissing = isApiError(verify.error) && verify.error.code === 'domain_unproven'
  return (
    <div className="flex flex-col gap-2">
      <h3 className="font-semibold">{t('proof')}</h3>
      <p className="text-soft">{t('proofText', { type, domain: config.domain })}</p>
      <p className="text-sm font-medium">{t('recordName')}</p>
      <CopyText text={name} />
      <p className="text-sm font-medium">{t('recordValue')}</p>
      <CopyText text={value} />
      {verify.error ? <Notice tone="warning">{isMissing ? t('notFound') : faultText(verify.error)}</Notice> : null}
      <Button look="primary" className="self-start" isPending={verify.isPending} onPress={() => verify.mutate()}>
        {t('check')}
      </Button>
    </div>
  )
}
