import { createContext, type ReactNode, useContext } from 'react'
import { Button } from './button.tsx'

export interface DialogProps {
  title: string
  /** the id of the record that is changed: what is typed is kept for that one alone */
  draftKey?: string | undefined
  onClose(): void
  /** a request is under way: the dialog stays, unless the request still waits for its turn */
  isBusy?: boolean
  width?: string
  children: ReactNode
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2 pt-1">{children}</div>
}

/** What the parts of a dialog know of it. */
export const DialogContext = createContext({
  /** goes on with what is given, after a question where something was entered */
  leave: (then: () => void) => then(),
  /** a request has been sent and not been answered */
  isHeld: false,
  /** whether there is a dialog around */
  isWithin: false,
})

/** A button that leaves what was entered in a dialog, as "Cancel" does. */
export function LeaveButton({ onPress, ...rest }: { look?: 'danger'; className?: string; onPress(): void; children: ReactNode }) {
  const { leave, isHeld } = useContext(DialogContext)
  return <Button {...rest} isPending={isHeld} onPress={() => leave(onPress)} />
}
