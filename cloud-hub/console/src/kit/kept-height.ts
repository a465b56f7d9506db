import { type RefObject, useLayoutEffect, useRef } from 'react'
import { keep, kept } from '../api/storage.ts'

/** Of pages whose addresses differ in an id only, and of windows of the same width. */
const keyOf = (title: string) => `haltless.height ${location.pathname.replace(/[\da-f-]{36}/g, '')} ${title} ${innerWidth}`

/** What follows a panel of unknown height waits for it no longer than this. */
const MAX_WAIT_MS = 3_000

/**
 * What is below a panel does not move once it has loaded. While a panel loads, it is as tall as it was the last time in this tab. Where
 * it was not there yet, it has `data-is-first-load`, and {@link Panels} shows what follows only after it.
 * It loads while it holds a skeleton, or nothing below its heading.
 * @param headings how many elements it has before what is loaded
 */
export function useKeptHeight<T extends HTMLElement>(title: string, headings = 1): RefObject<T | null> {
  const panel = useRef<T>(null)
  useLayoutEffect(() => {
    const box = panel.current as T
    const key = keyOf(title)
    let height = kept(key, 'session') ?? ''
    const isLoading = () => box.childElementCount <= headings || box.querySelector('.skeleton') !== null
    let isFirstLoad = !height && box.querySelector('.skeleton') !== null
    const fit = () => {
      box.style.minHeight = height && isLoading() ? `${height}px` : ''
      isFirstLoad &&= isLoading()
      box.toggleAttribute('data-is-first-load', isFirstLoad)
    }
    fit()
    const timer = setTimeout(() => {
      isFirstLoad = false
      fit()
    }, MAX_WAIT_MS)
    const changed = new MutationObserver(fit)
    changed.observe(box, { childList: true, subtree: true })
    const resized = new ResizeObserver(() => {
      if (isLoading()) return
      height = String(box.offsetHeight)
      keep(key, height, 'session')
    })
    resized.observe(box)
    return () => {
      clearTimeout(timer)
      changed.disconnect()
      resized.disconnect()
    }
  }, [title, headings])
  return panel
}
