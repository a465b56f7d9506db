import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from './button.tsx'
import { Dot, type Tone } from './status.tsx'

/** A function is worded when it is drawn, for a message that a change of the language follows. */
type Text = string | ((t: ReturnType<typeof useTranslations<'common'>>) => string)

interface Toast {
  id: number
  tone: Tone
  text: Text
  action?: { text: string; run(): void }
}

/** A message with an action stays long enough to reach for it. */
const SHOWN_MS = 6_000
const SHOWN_WITH_ACTION_MS = 12_000

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()
const change = (next: readonly Toast[]) => {
  toasts = next
  for (const listener of listeners) listener()
}
const dismiss = (id: number) => change(toasts.filter((toast) => toast.id !== id))

/** Shows a message in the corner. A fault stays until it is closed. */
export function toast(tone: Tone, text: Text, action?: Toast['action']): void {
  const id = ++lastId
  change([...toasts.slice(-3), { id, tone, text, action }])
  if (tone !== 'critical') setTimeout(() => dismiss(id), action ? SHOWN_WITH_ACTION_MS : SHOWN_MS)
}

/** Another person must not read what concerned the last one. */
export const clearToasts = () => change([])

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function ToastRegion() {
  const t = useTranslations('common')
  const shown = useSyncExternalStore(subscribe, () => toasts)
  const region = useRef<HTMLDivElement>(null)
  const isOnTop = useAvoidField(region, shown.length > 0)
  return (
    <>
      {/* the end of the page can be scrolled out from behind the messages */}
      {shown.map(({ id }) => (
        <div key={id} className="no-print h-14" />
      ))}
      <div
        ref={region}
        role="status"
        aria-live="polite"
        className={`no-print pointer-events-none fixed inset-x-3 z-50 flex flex-col items-end gap-2 ${isOnTop ? 'top-3' : 'bottom-20 lg:bottom-4'}`}
      >
        {shown.map(({ id, tone, text, action }) => (
          <div
            key={id}
            className="card pointer-events-auto flex max-w-md items-center gap-3 py-2 pr-2 pl-4 shadow-lg max-sm:w-full max-sm:max-w-none"
          >
            <Dot tone={tone} />
            <p className="line-clamp-2 min-w-0 flex-1 hover:line-clamp-none">{typeof text === 'string' ? text : text(t)}</p>
            {action ? (
              <Button
                look="quiet"
                onPress={() => {
                  dismiss(id)
                  action.run()
                }}
              >
                {action.text}
              </Button>
            ) : null}
            <Button look="quiet" onPress={() => dismiss(id)}>
              {t('close')}
            </Button>
          </div>
        ))}
      </div>
    </>
  )
}

const FIELD = 'input, textarea, select'

/** Whether messages at the bottom would hide the field that somebody is filling in. */
function useAvoidField(region: RefObject<HTMLElement | null>, hasMessages: boolean): boolean {
  const [isOnTop, setOnTop] = useState(false)
  useEffect(() => {
    if (!hasMessages) return setOnTop(false)
    const look = () => {
      const field = document.activeElement
      const box = region.current?.getBoundingClientRect()
      if (!box || !field?.matches(FIELD)) return
      const { top, bottom } = field.getBoundingClientRect()
      // they stay where they went until the last one is gone: a message that jumps cannot be read
      if (top < box.bottom && bottom > box.top) setOnTop(true)
    }
    look()
    // the browser brings a field into view after its focus
    const later = () => requestAnimationFrame(look)
    const events = ['focusin', 'resize', 'scroll']
    for (const name of events) addEventListener(name, later)
    return () => {
      for (const name of events) removeEventListener(name, later)
    }
  }, [region, hasMessages])
  return isOnTop
}
