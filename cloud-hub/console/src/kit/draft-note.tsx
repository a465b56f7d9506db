import { useTranslations } from 'use-intl'
import { useSignedInFormat } from '../i18n/format-context.ts'
import { Button } from './button.tsx'
import type { DraftState } from './use-draft.ts'

/** Says that a form shows what was typed before, and empties it. */
export function DraftNote({ draft: { restoredAt, beginAnew } }: { draft: DraftState }) {
  const t = useTranslations('draft')
  const format = useSignedInFormat()
  if (restoredAt === null) return null
  return (
    <p
      role="status"
      className="flex flex-wrap items-center justify-between gap-2 rounded-lg bg-raised px-3 py-1 text-sm text-soft"
    >
      {t('restored', { at: format?.dateTime(new Date(restoredAt).toISOString()) ?? '' })}
      <Button look="quiet" onPress={beginAnew}>
        {t('anew')}
      </Button>
    </p>
  )
}
