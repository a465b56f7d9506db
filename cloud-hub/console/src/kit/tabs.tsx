import { Link } from '@tanstack/react-router'
import { useLayoutEffect, useRef } from 'react'

/** Parts of one page. Each is an address of its own, so that it can be linked and the back button works. */
export function TabLinks<T extends string>({
  label,
  chosen,
  tabs,
}: {
  label: string
  chosen: T
  tabs: readonly (readonly [tab: T, text: string])[]
}) {
  const bar = useRef<HTMLElement>(null)
  // the chosen tab may be outside of a narrow bar
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is another tab
  useLayoutEffect(() => {
    const nav = bar.current
    const link = nav?.querySelector<HTMLElement>('[aria-current]')
    if (nav && link) nav.scrollLeft = link.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2
  }, [chosen])
  return (
    <nav ref={bar} aria-label={label} className="no-print relative mb-4 overflow-x-auto border-b border-line">
      <ul className="flex gap-1">
        {tabs.map(([tab, text]) => (
          <li key={tab}>
            <Link
              to="."
              search={(known: Record<string, unknown>) => ({ ...known, tab }) as never}
              aria-current={tab === chosen ? 'page' : undefined}
              className="block border-b-2 border-transparent px-3 py-2 font-medium whitespace-nowrap text-soft no-underline hover:text-ink aria-[current]:border-brand aria-[current]:text-brand"
            >
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
