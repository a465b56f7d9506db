import { type ReactNode, useEffect, useState } from 'react'
import { Dialog as AriaDialog, Heading } from 'react-aria-components/Dialog'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'

/**
 * A dialog over the page. Escape closes it, and so does a press beside it, as long as nothing was entered: a slip would lose that.
 * Neither does while a request is under way.
 */
export function Dialog({
  title,
  onClose,
  isBusy = false,
  width = 'max-w-lg',
  children,
}: {
  title: string
  onClose(): void
  isBusy?: boolean
  width?: string
  children: ReactNode
}) {
  useEffect(() => focusPageAfterwards, [])
  const [hasInput, setInput] = useState(false)
  return (
    <ModalOverlay
      isOpen
      isDismissable={!isBusy && !hasInput}
      isKeyboardDismissDisabled={isBusy}
      onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}
      data-shades-page
      className="fixed inset-0 z-50 flex items-end justify-center bg-(--shade) sm:items-center sm:p-6"
    >
      <Modal className={`card flex max-h-[92dvh] w-full flex-col overflow-y-auto shadow-xl max-sm:rounded-b-none ${width}`}>
        <AriaDialog className="flex flex-col gap-4 p-5 outline-none sm:p-6">
          <Heading slot="title" className="text-lg font-bold">
            {title}
          </Heading>
          <div className="contents" onInput={() => setInput(true)}>
            {children}
          </div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

/**
 * What opened the dialog may be gone with what it deleted: the keyboard then goes on at the content of the page. React Aria returns the focus
 * to the opener in the next frame, which a busy device draws late, so this looks in the frame after that.
 */
function focusPageAfterwards(): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true })
    }),
  )
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2 pt-1">{children}</div>
}
