import { type ReactNode, useEffect, useRef } from 'react'

/** The heading of a page, which names the tab of the browser too. */
export function PageTitle({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${heading.current?.textContent} · Haltless`
  })
  return (
    // the focus comes here after a change of the page
    <h1 ref={heading} tabIndex={-1} className="outline-none">
      {children}
    </h1>
  )
}
