import { lazy, Suspense, useState } from 'react'
import type { Entry } from './entries.ts'
import { useKeys } from './use-keys.ts'

const Palette = lazy(() => import('./palette.tsx').then((it) => ({ default: it.Palette })))
const KeysDialog = lazy(() => import('./keys-dialog.tsx').then((it) => ({ default: it.KeysDialog })))

/** The keys of all pages, and the dialogs that these and the buttons of the frame open. */
export function Finder({
  entries,
  isOpen,
  onOpen,
}: {
  entries: readonly Entry[]
  isOpen: boolean
  onOpen(isOpen: boolean): void
}) {
  const [hasHelp, setHelp] = useState(false)
  const help = () => {
    onOpen(false)
    setHelp(true)
  }
  useKeys(entries, isOpen || hasHelp, { find: () => onOpen(true), help })
  return (
    <Suspense>
      {isOpen ? <Palette entries={entries} onKeys={help} onClose={() => onOpen(false)} /> : null}
      {hasHelp ? <KeysDialog entries={entries} onClose={() => setHelp(false)} /> : null}
    </Suspense>
  )
}
