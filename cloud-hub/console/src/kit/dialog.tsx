import { lazy, Suspense } from 'react'
import type { DialogProps } from './dialog-parts.tsx'

export { DialogActions, LeaveButton } from './dialog-parts.tsx'

/** No page needs it to begin with. */
const DialogOverlay = lazy(() => import('./dialog-overlay.tsx'))

/** A dialog over the page. */
export const Dialog = (props: DialogProps) => (
  <Suspense>
    <DialogOverlay {...props} />
  </Suspense>
)
