import { useTranslations } from 'use-intl'
import { fieldOf, isApiError } from '../api/error.ts'
import { formatLocaleOf } from '../i18n/language.ts'

const MINUTE_MS = 60_000

/** What a person reads when a request fails. The hub's own sentence is used where it is more exact than ours. */
export function useFaultText(): (error: unknown) => string {
  const t = useTranslations('faults')
  return (error) => {
    if (!isApiError(error) || error.problem === null) return t('unreachable')
    const { code, status, problem } = error
    if (code === 'rate_limited') return t('rate_limited', { seconds: problem.retry_after ?? 60 })
    if (code === 'login_locked') {
      const seconds = problem.retry_after ?? 0
      // a time without seconds: the next whole minute
      const ends = Math.ceil(error.at / MINUTE_MS + seconds / 60) * MINUTE_MS
      const time = new Intl.DateTimeFormat(formatLocaleOf(navigator.languages), { timeStyle: 'short' }).format(ends)
      return t('login_locked', { time, minutes: Math.max(1, Math.ceil(seconds / 60)) })
    }
    if (code === 'role_insufficient') return t('role_insufficient')
    if (status >= 500 && status !== 503) return t('internal', { request_id: problem.request_id })
    if (status === 404) return t('not_found')
    if (code === 'validation_failed') {
      const [first] = problem.errors ?? []
      return first ? `${t('validation_failed')} ${fieldOf(first.path)}: ${first.message}` : t('validation_failed')
    }
    return problem.detail
  }
}
