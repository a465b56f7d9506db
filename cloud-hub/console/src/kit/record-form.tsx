import { lazy, type RefObject, Suspense, useRef, useState } from 'react'
import type { IfVersion, Versioned } from './record-version.ts'

const FormConflict = lazy(() => import('./dialog-overlay.tsx').then((it) => ({ default: it.FormConflict })))

/** Asks in front of a form of a page what holds where somebody else has changed the same, while its change is under way. */
export const PageConflict = (props: { form: RefObject<HTMLElement | null>; isBusy: boolean }) => (
  <Suspense>
    <FormConflict {...props} />
  </Suspense>
)

/**
 * Changes a record by a form that is part of a page, and not of a dialog: as `useRecordChange`, and the form goes on after it.
 * @returns `opened` is what the form shows; with another `key` it shows it anew
 */
export function useRecordForm<Opened extends Versioned, Body extends object>(
  record: Opened,
  load: () => Promise<Opened>,
  send: (body: Body, header: IfVersion) => Promise<Opened>,
) {
  const form = useRef<HTMLFormElement>(null)
  const [{ opened, key }, setShown] = useState({ opened: record, key: 0 })
  const change = async (body: Body): Promise<Opened> => {
    // no page needs it to begin with
    const { changeRecord } = await import('./record-change.ts')
    return changeRecord({ opened, body, send, load })
  }
  const saved = (changed: Opened, body: Body) => {
    const stored = changed as Record<string, unknown>
    const isAsSent = Object.entries(body).every(
      ([name, value]) => JSON.stringify(stored[name] ?? value) === JSON.stringify(value),
    )
    // the keyboard stays where it is, unless somebody else's values came in
    setShown((shown) => ({ opened: changed, key: isAsSent ? shown.key : shown.key + 1 }))
  }
  return { form, opened, key, change, saved }
}
