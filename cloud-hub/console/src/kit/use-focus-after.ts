import { type RefObject, useLayoutEffect } from 'react'

/**
 * When `element` goes while the keyboard is in it, the focus goes on at what `next` finds, or else at the heading of the page. Without this the
 * browser would begin again at the top of the document.
 */
export function useFocusAfter(element: RefObject<HTMLElement | null>, next: () => HTMLElement | null | undefined): void {
  // React calls this before it takes the element out of the document
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the end of the element counts
  useLayoutEffect(
    () => () => {
      if (!element.current?.contains(document.activeElement)) return
      const target = next()
      if (target) target.focus()
      else focusHeading()
    },
    [],
  )
}

/** The focus goes on at the heading of the page. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
}
