import { type RefObject, useEffect, useRef } from 'react'
import { hasSingleKeys, isTyped } from '../../app/single-keys.ts'

/** Keys of the inbox: j and k go down and up, x chooses, a acknowledges; Enter opens, as on any link. */
export function useInboxKeys(
  list: RefObject<HTMLElement | null>,
  on: { onChoose(id: string): void; onAcknowledge(id: string): void },
): void {
  const current = useRef(on)
  current.current = on
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyped(event) || !hasSingleKeys() || event.ctrlKey || event.metaKey || event.altKey) return
      const links = [...(list.current?.querySelectorAll<HTMLElement>('[data-alert]') ?? [])]
      const at = links.indexOf(document.activeElement as HTMLElement)
      const id = links[at]?.dataset.alert
      if (event.key === 'j') links[Math.min(links.length - 1, at + 1)]?.focus()
      else if (event.key === 'k') links[Math.max(0, at - 1)]?.focus()
      else if (event.key === 'x' && id) current.current.onChoose(id)
      else if (event.key === 'a' && id) current.current.onAcknowledge(id)
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [list])
}
