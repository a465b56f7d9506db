import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/** A page that takes longer to load than this keeps the focus where the person has it. */
const PATIENCE_MS = 5_000
/** Rows are drawn a moment after their page; a link that is not there then is gone. */
const DRAWN_MS = 500

/** By the address of a page: the link in it that was followed last. */
const followed = new Map<string, string>()

/**
 * After a change of the page the focus goes to its heading, so that a screen reader says where it is, and the next Tab goes on there. After
 * Back it goes to the link that had led away, such as the row of a list, or to the heading where that row is gone. So it does where a link
 * changes only the view of a page and goes with it.
 */
export function usePageFocus(): void {
  const router = useRouter()
  useEffect(() => {
    let isBack = false
    let stop = () => {}
    const noteLink = ({ target, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent) => {
      // this page stays
      if (ctrlKey || metaKey || shiftKey || altKey) return
      const link = (target as Element).closest?.('main a[href]')
      if (link) followed.set(router.state.location.href, link.getAttribute('href') as string)
    }
    const unsubscribe = [
      router.history.subscribe(({ action }) => {
        isBack = action.type === 'BACK'
      }),
      router.subscribe('onRendered', ({ pathChanged, fromLocation, toLocation }) => {
        stop()
        if (!fromLocation) return
        const [first, then] = isBack ? [toLocation, fromLocation] : [fromLocation, toLocation]
        const href = followed.get(first.href)
        // a link to another view of the page may be gone with the view
        if (!pathChanged && (href !== then.href || (!isBack && document.activeElement !== document.body))) return
        stop = focusWhenThere(isBack ? href : undefined)
      }),
    ]
    document.addEventListener('click', noteLink, true)
    return () => {
      for (const end of unsubscribe) end()
      document.removeEventListener('click', noteLink, true)
      stop()
    }
  }, [router])
}

/** Focuses a link of the page, or its heading, once that is drawn; not where the person has gone on meanwhile. */
function focusWhenThere(href: string | undefined): () => void {
  const before = document.activeElement
  let led: HTMLElement | null = null
  let isGone = false
  let drawn: ReturnType<typeof setTimeout> | undefined
  const find = () => {
    const at = document.activeElement
    if (at !== before && at !== document.body && at !== led) return stop()
    // a list that is read again may lose the row
    if (led?.isConnected) return
    const link = href === undefined ? null : document.querySelector<HTMLElement>(`main a[href="${CSS.escape(href)}"]`)
    const heading = document.querySelector<HTMLElement>('main h1')
    // rows come after the heading
    const isDrawn = heading !== null && !document.querySelector('main .skeleton')
    if (isDrawn) drawn ??= setTimeout(giveUp, DRAWN_MS)
    else {
      clearTimeout(drawn)
      drawn = undefined
    }
    const found = link ?? (href === undefined || isGone || led ? heading : null)
    if (!found) return
    found.focus({ preventScroll: true })
    if (found === link) led = link
    else stop()
  }
  const giveUp = () => {
    isGone = true
    find()
  }
  const observer = new MutationObserver(find)
  const timer = setTimeout(() => stop(), PATIENCE_MS)
  const stop = () => {
    observer.disconnect()
    clearTimeout(drawn)
    clearTimeout(timer)
  }
  observer.observe(document.body, { childList: true, subtree: true })
  find()
  return stop
}
