import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { useTranslations } from 'use-intl'
import { onWaitChange, waitingUntil } from '../api/patience.ts'
import { useFormat } from '../i18n/format.tsx'
import { Icon, type IconName } from '../kit/icon.tsx'
import { useConnection } from './live.tsx'

/** A shorter interruption, such as a restart of the hub, is not reported. */
const PATIENCE_MS = 4_000
/** A shorter wait is over before it is read. */
const SHORT_WAIT_MS = 1_500

/** Says since when the page is no longer live, or that requests wait until the hub has room for them. */
export function ConnectionBanner() {
  const t = useTranslations('connection')
  const format = useFormat()
  const { status, lostAt } = useConnection()
  const [isLong, setLong] = useState(false)
  const seconds = useWaitSeconds()
  useEffect(() => {
    setLong(false)
    if (status !== 'lost') return
    const timer = setTimeout(() => setLong(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [status])
  if (seconds !== null)
    return (
      <Banner icon="clock">
        {t('waiting')} <span aria-hidden>{t('waitingFor', { seconds })}</span>
      </Banner>
    )
  if (!isLong || lostAt === null) return null
  return <Banner icon="offline">{t('lost', { since: format.clock(new Date(lostAt)) })}</Banner>
}

function Banner({ icon, children }: { icon: IconName; children: ReactNode }) {
  return (
    <div
      role="status"
      className="no-print sticky top-0 z-30 flex items-center gap-2 border-b border-line bg-raised px-4 py-2 font-medium text-warning"
    >
      <Icon name={icon} />
      <p>{children}</p>
    </div>
  )
}

/** How long requests still wait, in whole seconds; null where none does, or not for long. */
function useWaitSeconds(): number | null {
  const until = useSyncExternalStore(onWaitChange, waitingUntil)
  const [shown, setShown] = useState<number | null>(null)
  useEffect(() => {
    if (until === null || until - Date.now() < SHORT_WAIT_MS) return
    const show = () => setShown(Math.max(1, Math.ceil((until - Date.now()) / 1_000)))
    show()
    const timer = setInterval(show, 1_000)
    return () => {
      clearInterval(timer)
      setShown(null)
    }
  }, [until])
  return shown
}
