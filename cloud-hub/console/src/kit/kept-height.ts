import { type RefObject, useLayoutEffect, useRef } from 'react'
import { keep, kept } from '../api/storage.ts'

/** Of pages whose addresses differ in an id only, and of windows of the same width. */
const keyOf = (title: string) => `haltless.height ${location.pathname.replace(/[\da-f-]{36}/g, '')} ${title} ${innerWidth}`

/**
 * While a panel loads, it is as tall as it was the last time in this tab, so that what is below it does not move once it has loaded.
 * It loads while it holds a skeleton, or nothing below its heading.
 */
export function useKeptHeight(title: string): RefObject<HTMLElement | null> {
  const panel = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const box = panel.current as HTMLElement
    const key = keyOf(title)
    let height = kept(key, 'session') ?? ''
    const isLoading = () => box.childElementCount < 2 || box.querySelector('.skeleton') !== null
    const fit = () => {
      box.style.minHeight = height && isLoading() ? `${height}px` : ''
    }
    fit()
    const changed = new MutationObserver(fit)
    changed.observe(box, { childList: true, subtree: true })
    const resized = new ResizeObserver(() => {
      if (isLoading()) return
      height = String(box.offsetHeight)
      keep(key, height, 'session')
    })
    resized.observe(box)
    return () => {
      changed.disconnect()
      resized.disconnect()
    }
  }, [title])
  return panel
}
