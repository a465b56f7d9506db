import { useSyncExternalStore } from 'react'
import { keep, kept } from '../api/storage.ts'

/** WCAG 2.1.4: who dictates, or presses keys by accident, switches shortcuts of a single character off. For all users of this browser. */
const KEY = 'haltless.single-keys'
const listeners = new Set<() => void>()

/** Whether shortcuts of a single character do something. */
export const hasSingleKeys = (): boolean => kept(KEY) !== 'off'

export function switchSingleKeys(isOn: boolean): void {
  keep(KEY, isOn ? null : 'off')
  for (const listener of listeners) listener()
}

export const useSingleKeys = (): boolean =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, hasSingleKeys)

/** Whether a key that was pressed there is typed into a field. */
export const isTyped = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'))
