import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, unwrap } from '../../api/client.ts'
import { endPush, pushSubscription, startPush } from '../../app/push.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Failed } from '../../kit/loaded.tsx'
import { Status } from '../../kit/status.tsx'
import { toast } from '../../kit/toast.tsx'

/** The VAPID key as bytes. Source: RFC 8292, base64url without padding */
const keyBytes = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))

/** Notifications of alerts in this browser, also while the console is closed. */
export function PushPanel() {
  const t = useTranslations('settings')
  const faultText = useFaultText()
  const keyOfHub = useQuery({ ...apiQuery('/push/vapid-public-key'), staleTime: Number.POSITIVE_INFINITY })
  const vapid = keyOfHub.data
  const { data: known, refetch } = useQuery({ queryKey: ['push-subscription'], queryFn: pushSubscription })
  const isSupported = 'PushManager' in window && 'serviceWorker' in navigator
  const switchOn = useMutation({
    mutationFn: async () => {
      if ((await Notification.requestPermission()) !== 'granted') throw new PermissionRefused()
      const registration = await navigator.serviceWorker.ready
      await startPush(registration.pushManager, keyBytes(vapid?.public_key ?? ''))
    },
    onSuccess: () => refetch(),
    onError: (error) => toast('critical', error instanceof PermissionRefused ? t('pushRefused') : faultText(error)),
  })
  const switchOff = useMutation({
    mutationFn: endPush,
    onSuccess: () => refetch(),
    onError: (error) => toast('critical', faultText(error)),
  })
  const test = useMutation({
    mutationFn: async () => unwrap(api.POST('/push/test', { body: { endpoint: known?.endpoint ?? '' } })),
    onSuccess: ({ success, message }) => toast(success ? 'healthy' : 'critical', success ? t('pushTested') : message),
    onError: (error) => toast('critical', faultText(error)),
    // the hub forgets a browser that the push service no longer knows
    onSettled: () => refetch(),
  })
  return (
    <Panel title={t('push')} actions={<Status tone={known ? 'healthy' : 'offline'}>{t(known ? 'on' : 'off')}</Status>}>
      <Failed query={keyOfHub} />
      <div className="flex flex-col items-start gap-3 p-4">
        <p>{t('pushText')}</p>
        {!isSupported ? (
          <p className="text-soft">{t('pushUnsupported')}</p>
        ) : vapid && !vapid.enabled ? (
          <p className="text-soft">{t('pushDisabled')}</p>
        ) : known ? (
          <div className="flex flex-wrap gap-2">
            <Button look="primary" isPending={test.isPending} onPress={() => test.mutate()}>
              {t('pushTest')}
            </Button>
            <Button isPending={switchOff.isPending} onPress={() => switchOff.mutate()}>
              {t('switchOff')}
            </Button>
          </div>
        ) : (
          <Button look="primary" isPending={switchOn.isPending} isDisabled={!vapid} onPress={() => switchOn.mutate()}>
            {t('pushOn')}
          </Button>
        )}
      </div>
    </Panel>
  )
}

class PermissionRefused extends Error {}
