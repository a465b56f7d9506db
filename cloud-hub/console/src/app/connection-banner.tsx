import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useFormat } from '../i18n/format.tsx'
import { Icon } from '../kit/icon.tsx'
import { useConnection } from './live.tsx'

/** A shorter interruption, such as a restart of the hub, is not reported. */
const PATIENCE_MS = 4_000

/** Says since when the page is no longer live. */
export function ConnectionBanner() {
  const t = useTranslations('connection')
  const format = useFormat()
  const { status, lostAt } = useConnection()
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    setLong(false)
    if (status !== 'lost') return
    const timer = setTimeout(() => setLong(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [status])
  if (!isLong || lostAt === null) return null
  return (
    <div
      role="status"
      className="no-print sticky top-0 z-30 flex items-center gap-2 border-b border-line bg-raised px-4 py-2 font-medium text-warning"
    >
      <Icon name="offline" />
      {t('lost', { since: format.clock(new Date(lostAt)) })}
    </div>
  )
}
