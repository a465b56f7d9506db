import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import type { Range } from '../readings/series.ts'
import { isWithin } from './is-within.ts'
import { NoteItem } from './note-item.tsx'

const NoteDialog = lazy(() => import('./note-dialog.tsx').then((it) => ({ default: it.NoteDialog })))
type Note = Schemas['Note']

/**
 * The notes that the charts of a range mark, the latest first, and the dialog that writes one.
 * @param props `isCut`: there are more notes than `notes`; `marked`: what a drag has selected on a chart; null: nothing
 */
export function NotesList({
  machine,
  notes,
  isCut,
  range,
  marked,
  onMarked,
}: {
  machine: Pick<Schemas['Machine'], 'id' | 'name'>
  notes: readonly Note[]
  isCut: boolean
  range: Range
  marked: Range | null
  /** the dialog about `marked` was closed */
  onMarked(): void
}) {
  const t = useTranslations('notes')
  const { user, may } = useMe()
  const [shown, setShown] = useState<Note | 'new' | null>(null)
  const inRange = notes.filter((note) => isWithin(note, range))
  const mayChange = (note: Note) => may('operator') && (note.author_id === user.id || may('admin'))
  return (
    <section aria-label={t('title')} className="max-w-300">
      <div className="mb-1 flex flex-wrap items-center gap-x-4 gap-y-1">
        <h3 className="font-semibold">{t('title')}</h3>
        {may('operator') ? (
          <Button className="no-print" onPress={() => setShown('new')}>
            <Icon name="plus" className="size-4.5" />
            {t('add')}
          </Button>
        ) : null}
      </div>
      {inRange.length === 0 && !isCut ? <p className="text-sm text-soft">{t('none')}</p> : null}
      <ul className="divide-y divide-line text-sm">
        {inRange.map((note) => (
          <NoteItem key={note.id} note={note} onEdit={mayChange(note) ? () => setShown(note) : undefined} />
        ))}
      </ul>
      {isCut ? <p className="text-sm text-soft">{t('cut', { count: notes.length })}</p> : null}
      <Suspense>
        {shown !== null && shown !== 'new' ? (
          <NoteDialog machine={machine} note={shown} shownRange={range} onClose={() => setShown(null)} />
        ) : null}
        {shown === 'new' ? (
          <NoteDialog
            machine={machine}
            range={{ from: Math.min(Date.now(), range.to), to: null }}
            shownRange={range}
            onClose={() => setShown(null)}
          />
        ) : null}
        {marked ? <NoteDialog machine={machine} range={marked} shownRange={range} onClose={onMarked} /> : null}
      </Suspense>
    </section>
  )
}
