import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'

/** A note as one entry of a list. */
export function NoteItem({ note, onEdit }: { note: Schemas['Note']; onEdit?: (() => void) | undefined }) {
  const t = useTranslations('notes')
  const format = useFormat()
  const { starts_at, ends_at, author_name, mention_ids } = note
  const length = ends_at ? format.duration((Date.parse(ends_at) - Date.parse(starts_at)) / 60_000) : null
  return (
    <li className="flex items-baseline gap-x-3 py-1.5 max-sm:flex-wrap">
      <span className="size-2.5 shrink-0 rounded-sm bg-brand" />
      <time className="tabular w-36 shrink-0 text-soft" dateTime={starts_at}>
        {format.dateTime(new Date(starts_at))}
      </time>
      <span className="min-w-0 flex-1 max-sm:basis-full">
        <span className="wrap-anywhere whitespace-pre-line">{note.body}</span>
        <span className="text-soft">
          {[
            '',
            ...(length === null ? [] : [length]),
            author_name,
            ...(note.group_id === null ? [] : [t('aboutGroup', { name: note.subject_name })]),
            ...(mention_ids.length === 0 ? [] : [t('mentions', { count: mention_ids.length })]),
          ].join(' · ')}
        </span>
      </span>
      {onEdit ? (
        <Button
          look="quiet"
          className="no-print shrink-0"
          aria-label={t('editOf', { author: author_name, at: format.dateTime(new Date(starts_at)) })}
          onPress={onEdit}
        >
          <Icon name="edit" className="size-4.5" />
        </Button>
      ) : null}
    </li>
  )
}
