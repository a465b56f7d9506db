import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Button, type Look } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { useNarrow } from './use-narrow.ts'

export interface Action {
  text: string
  look?: Look
  isPending?: boolean
  onPress(): void
}

/** The actions of a page beside its main ones: buttons, or on a phone one button that lists them. */
export function MoreActions({ actions }: { actions: readonly Action[] }) {
  const t = useTranslations('common')
  const isNarrow = useNarrow()
  const [isOpen, setOpen] = useState(false)
  if (!isNarrow || actions.length < 2)
    return actions.map(({ text, ...props }) => (
      <Button key={text} {...props}>
        {text}
      </Button>
    ))
  return (
    <>
      <Button aria-haspopup="dialog" onPress={() => setOpen(true)}>
        {t('more')}
      </Button>
      {isOpen ? (
        <Dialog title={t('more')} onClose={() => setOpen(false)}>
          <div className="flex flex-col gap-2">
            {actions.map(({ text, onPress, ...props }) => (
              <Button
                key={text}
                {...props}
                className="min-h-11"
                onPress={() => {
                  setOpen(false)
                  onPress()
                }}
              >
                {text}
              </Button>
            ))}
          </div>
        </Dialog>
      ) : null}
    </>
  )
}
