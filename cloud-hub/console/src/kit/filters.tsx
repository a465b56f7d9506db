import { type ReactNode, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from './button.tsx'
import { useNarrow } from './use-narrow.ts'

/** The filters of a list: on a phone a button that shows them, because they would fill its screen before the list. */
export function Filters({
  chosen,
  always,
  children,
}: {
  /** how many of them leave something out */
  chosen: number
  /** what stays on a phone too, such as the field that finds by a name */
  always?: ReactNode
  children: ReactNode
}) {
  const t = useTranslations('filter')
  const isNarrow = useNarrow()
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <div className="no-print mb-4 grid grid-cols-2 items-end gap-3 md:flex md:flex-wrap">
      {always}
      {isNarrow ? (
        <Button className="col-span-2" aria-expanded={isOpen} aria-controls={id} onPress={() => setOpen(!isOpen)}>
          {chosen > 0 ? t('chosen', { count: chosen }) : t('filters')}
        </Button>
      ) : null}
      {isNarrow ? (
        <div id={id} className="col-span-2 grid grid-cols-2 items-end gap-3 empty:hidden">
          {isOpen ? children : null}
        </div>
      ) : (
        children
      )}
    </div>
  )
}
