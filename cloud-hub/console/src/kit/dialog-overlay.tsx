import { useRouter } from '@tanstack/react-router'
import { lazy, type RefObject, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Dialog as AriaDialog, Heading } from 'react-aria-components/Dialog'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { useTranslations } from 'use-intl'
import { giveUpChanges, isChangeWaiting, onWaitChange } from '../api/patience.ts'
import { Button } from './button.tsx'
import { conflictQuestion, onConflictChange } from './conflict-store.ts'
import { DialogActions, DialogContext, type DialogProps } from './dialog-parts.tsx'
import { DraftNote } from './draft-note.tsx'
import { useDraft } from './use-draft.ts'
import { focusHeading } from './use-focus-after.ts'

const ConflictFields = lazy(() => import('./conflict-fields.tsx'))

/**
 * A dialog over the page. Escape, a press beside it, Back and its own buttons close it, after a question where something was entered. None
 * does while a request is under way; one that waits for its turn was not made, and is given up. What was entered outlives a reload and the
 * session.
 */
export default function DialogOverlay({ title, draftKey, onClose, isBusy = false, width = 'max-w-lg', children }: DialogProps) {
  useEffect(() => focusPageAfterwards, [])
  const content = useRef<HTMLDivElement>(null)
  /** what comes once the person has discarded what was entered */
  const [next, setNext] = useState<{ run(): void } | null>(null)
  const [openedAt] = useState(Date.now)
  const isWaiting = useSyncExternalStore(onWaitChange, () => isChangeWaiting(openedAt))
  const draft = useDraft(content, draftKey ? `${title} ${draftKey}` : title)
  const leave = (run: () => void) => {
    if (isBusy && !giveUpChanges(openedAt)) return
    if (draft.hasInput()) setNext({ run })
    else run()
  }
  const close = () => leave(onClose)
  useBack(close, draft.hasInput)
  const discard = () => {
    draft.clear()
    setNext(null)
    next?.run()
  }
  return (
    <Overlay width={width} title={title} onLeave={close}>
      <DraftNote draft={draft} />
      <DialogContext value={{ leave, isHeld: isBusy && !isWaiting, isWithin: true }}>
        <div ref={content} className="contents">
          {children}
        </div>
      </DialogContext>
      {isBusy ? <ConflictDialog form={content} /> : null}
      {next ? <DiscardDialog onKeep={() => setNext(null)} onDiscard={discard} /> : null}
    </Overlay>
  )
}

function Overlay({
  title,
  width = 'max-w-lg',
  role,
  onLeave,
  children,
}: Pick<DialogProps, 'title' | 'width' | 'children'> & { role?: 'alertdialog'; onLeave(): void }) {
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={(isOpen) => (isOpen ? undefined : onLeave())}
      data-shades-page
      className="fixed inset-0 z-50 flex items-end justify-center bg-(--shade) sm:items-center sm:p-6"
    >
      <Modal className={`card flex max-h-[92dvh] w-full flex-col overflow-y-auto shadow-xl max-sm:rounded-b-none ${width}`}>
        <AriaDialog role={role} className="flex flex-col gap-4 p-5 outline-none sm:p-6">
          <Heading slot="title" className="text-lg font-semibold">
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

/** Asks before what was entered is lost. */
function DiscardDialog({ onKeep, onDiscard }: { onKeep(): void; onDiscard(): void }) {
  const t = useTranslations('draft')
  useBack(onKeep)
  return (
    <Overlay title={t('discardTitle')} role="alertdialog" onLeave={onKeep}>
      <p>{t('discardText')}</p>
      <DialogActions>
        <Button onPress={onKeep}>{t('keep')}</Button>
        <Button look="danger" onPress={onDiscard}>
          {t('discard')}
        </Button>
      </DialogActions>
    </Overlay>
  )
}

/** Asks what holds where somebody else has changed the same, while a change of the dialog waits for the answer. */
function ConflictDialog({ form }: { form: RefObject<HTMLElement | null> }) {
  const question = useSyncExternalStore(onConflictChange, conflictQuestion)
  return question ? <Conflict question={question} form={form} /> : null
}

/** As in a dialog, for a form that is part of a page. */
export const FormConflict = ({ form, isBusy }: { form: RefObject<HTMLElement | null>; isBusy: boolean }) =>
  isBusy ? <ConflictDialog form={form} /> : null

function Conflict({
  question,
  form,
}: {
  question: NonNullable<ReturnType<typeof conflictQuestion>>
  form: RefObject<HTMLElement | null>
}) {
  const t = useTranslations('conflict')
  const goBack = () => question.answer(null)
  useBack(goBack)
  const isMounted = useRef(false)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
      // nobody can answer once the dialog is gone; the strict mode of React mounts twice
      queueMicrotask(() => (isMounted.current ? undefined : question.answer(null)))
    }
  }, [question])
  return (
    <Overlay title={t('title')} role="alertdialog" onLeave={goBack}>
      <Suspense>
        <ConflictFields question={question} form={form.current} />
      </Suspense>
    </Overlay>
  )
}

/** The dialogs that are open, the uppermost last. */
const open: object[] = []

/** Back leaves the uppermost dialog, not the page. @param isAsked whether the browser asks before it loads the page again or closes it */
function useBack(leave: () => void, isAsked = () => false): void {
  const { history } = useRouter()
  const current = useRef({ leave, isAsked })
  useEffect(() => {
    current.current = { leave, isAsked }
  })
  useEffect(() => {
    const self = {}
    open.push(self)
    const unblock = history.block({
      blockerFn: ({ action }) => {
        if (open.at(-1) !== self || (action !== 'BACK' && action !== 'FORWARD')) return false
        current.current.leave()
        return true
      },
      enableBeforeUnload: () => current.current.isAsked(),
    })
    return () => {
      open.splice(open.indexOf(self), 1)
      unblock()
    }
  }, [history])
}

/**
 * What opened the dialog may be gone with what it deleted: the keyboard then goes on at the heading of the page. React Aria returns the focus
 * to the opener in the next frame, which a busy device draws late, so this looks in the frame after that.
 */
function focusPageAfterwards(): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) focusHeading()
    }),
  )
}
