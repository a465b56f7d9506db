import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { Entry } from './entries.ts'
import { isMac } from './is-mac.ts'
import { hasSingleKeys, isTyped } from './single-keys.ts'

/** The keys that open a page after `g`. */
export const LETTERS: Record<Entry['text'], string> = {
  overview: 'o',
  machines: 'm',
  alerts: 'a',
  rules: 'r',
  work: 'w',
  maintenance: 't',
  operations: 'p',
  agents: 'g',
  erp: 'e',
  settings: 's',
}

/** The letter after `g` is pressed within this time. */
const SECOND_KEY_MS = 1_500

/**
 * The keys of all pages: Ctrl+K (⌘K) finds, `/` goes to the filter of the list or finds where there is none, `?` lists the keys, `g` and a letter
 * opens a page. Single characters do nothing while a person types, or has switched them off; and no key while a dialog or a menu is open.
 */
export function useKeys(entries: readonly Entry[], isOpen: boolean, on: { find(): void; help(): void }): void {
  const navigate = useNavigate()
  const current = useRef({ entries, isOpen, on })
  useEffect(() => {
    current.current = { entries, isOpen, on }
  })
  useEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event
      const { entries, isOpen, on } = current.current
      if (event.defaultPrevented || event.isComposing || event.repeat) return
      // the finder's own dialog may still load
      if (isOpen || document.querySelector('[role=dialog], [role=alertdialog], :popover-open')) return
      const run = (act: () => void) => {
        event.preventDefault()
        act()
      }
      if (key.toLowerCase() === 'k' && (isMac ? metaKey : ctrlKey) && !altKey && !event.shiftKey) return run(on.find)
      if (ctrlKey || metaKey || altKey || isTyped(event) || !hasSingleKeys()) return
      const isSecond = event.timeStamp - wentAt < SECOND_KEY_MS
      wentAt = Number.NEGATIVE_INFINITY
      if (isSecond) {
        const to = entries.find(({ text }) => LETTERS[text] === key.toLowerCase())?.to
        if (to) run(() => navigate({ to }))
      } else if (key === 'g') wentAt = event.timeStamp
      else if (key === '?') run(on.help)
      else if (key === '/') run(() => focusFilter() || on.find())
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [navigate])
}

/** Goes to the field that narrows the list of the page. @returns whether there is one */
function focusFilter(): boolean {
  const fields = [...document.querySelectorAll<HTMLInputElement>('main input[type=search]')]
  const field = fields.find((it) => it.checkVisibility())
  field?.focus()
  field?.select()
  return field !== undefined
}
