import { type RefObject, useEffect, useRef, useState } from 'react'
import { draftAt, drafter, keepDraft } from './draft-store.ts'
import { addRows, setValues, valuesOf } from './form-values.ts'

/** Fields that others bring, or that load, come later: until then a draft is put in again. */
const RESTORE_MS = [0, 100, 400, 1_500]

/** Dates of a new thing begin with the present time, which is another one after a reload. */
const isDate = (value: string) => /^\d{4}-\d\d-\d\d/.test(value)
const fingerprint = (values: Record<string, string>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== '' && !isDate(value))
    .map((entry) => entry.join('='))
    .join('&')

export interface DraftState {
  /** when what is shown was typed, ms since 1970; null where it is not from a draft */
  restoredAt: number | null
  /** whether somebody typed something that closing would lose */
  hasInput(): boolean
  /** what was typed is sent, or no longer wanted */
  clear(): void
  /** empties the form of its draft */
  beginAnew(): void
}

/**
 * Keeps what is typed within an element, and puts it in again after a reload, a sign-out, or in another tab. It ends when the element
 * goes while its person stays: then it was sent, or is not wanted. What another tab has typed since stays.
 * @param place names the form; one with other values at its beginning is another one, so that no draft is put into a record that has changed
 * @param isLasting the element is part of a page: it goes with that, and what was typed waits for the person
 */
export function useDraft(root: RefObject<HTMLElement | null>, place: string, isLasting = false): DraftState {
  const [restoredAt, setRestoredAt] = useState<number | null>(null)
  const typed = useRef({ is: false, at: 0, key: '', first: {} as Record<string, string> })
  const isMounted = useRef(false)
  const placeRef = useRef(place)
  useEffect(() => {
    const element = root.current as HTMLElement
    const person = drafter()
    const first = valuesOf(element)
    const key = `${location.pathname} ${placeRef.current} ${fingerprint(first)}`
    typed.current = { is: false, at: 0, key, first }
    isMounted.current = true
    const timers: ReturnType<typeof setTimeout>[] = []
    const stop = () => timers.splice(0).forEach(clearTimeout)
    let isPuttingIn = false
    const putIn = async (fields: Record<string, string>) => {
      if (isPuttingIn) return
      isPuttingIn = true
      await addRows(element, fields)
      setValues(element, fields)
      isPuttingIn = false
    }
    const draft = draftAt(key)
    if (draft) {
      Object.assign(typed.current, { is: true, at: draft.at })
      setRestoredAt(draft.at)
      for (const ms of RESTORE_MS) timers.push(setTimeout(putIn, ms, draft.fields))
    }
    const save = () => {
      if (typed.current.is && isMounted.current) typed.current.at = keepDraft(key, valuesOf(element))
    }
    const onInput = (event: Event) => {
      const { target } = event
      // what acts at once, as filters and switches do, leaves nothing to lose
      if (isPuttingIn || !(target instanceof HTMLElement) || target.matches('[type=search], [data-acts-at-once]')) return
      typed.current.is = true
      stop()
      // React draws what follows from it
      setTimeout(save)
    }
    const onClick = (event: Event) => {
      if (event.target instanceof HTMLElement && event.target.closest('[role=option]')) onInput(event)
      else if (!isPuttingIn) setTimeout(save)
    }
    element.addEventListener('input', onInput)
    element.addEventListener('click', onClick)
    return () => {
      stop()
      element.removeEventListener('input', onInput)
      element.removeEventListener('click', onClick)
      isMounted.current = false
      // the strict mode of React mounts twice; who is signed out comes back
      queueMicrotask(() => {
        if (isLasting || isMounted.current || !typed.current.is || drafter() !== person) return
        if (draftAt(key)?.at === typed.current.at) keepDraft(key, null)
      })
    }
  }, [root, isLasting])
  const clear = () => {
    typed.current.is = false
    setRestoredAt(null)
    keepDraft(typed.current.key, null)
  }
  return {
    restoredAt,
    hasInput: () => typed.current.is,
    clear,
    beginAnew: () => {
      clear()
      if (root.current) setValues(root.current, typed.current.first)
    },
  }
}
