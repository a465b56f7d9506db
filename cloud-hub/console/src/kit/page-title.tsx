import { type ReactNode, useEffect, useRef } from 'react'

/** The heading of a page, which names the tab of the browser too. */
export function PageTitle({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${heading.current?.textContent} · Haltless`
  })
  return <h1 ref={heading}>{children}</h1>
}
