import type { ReactNode } from 'react'

export interface DialogProps {
  title: string
  onClose(): void
  /** a request is under way: the dialog stays */
  isBusy?: boolean
  width?: string
  children: ReactNode
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2 pt-1">{children}</div>
}
