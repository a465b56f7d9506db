import { Link } from '@tanstack/react-router'

/** Ways to show the same list; the address holds the chosen one. */
export function ViewLinks<V extends string>({
  label,
  chosen,
  views,
  onChoose,
}: {
  label: string
  chosen: V
  views: readonly (readonly [view: V, text: string])[]
  /** for a page that remembers the choice */
  onChoose?(view: V): void
}) {
  return (
    <nav aria-label={label} className="no-print flex">
      <ul className="flex overflow-hidden rounded-lg border border-control bg-paper">
        {views.map(([view, text]) => (
          <li key={view}>
            <Link
              to="."
              search={(known: Record<string, unknown>) => ({ ...known, view, page: undefined }) as never}
              onClick={() => onChoose?.(view)}
              aria-current={view === chosen ? 'page' : undefined}
              className="flex min-h-9 items-center px-3 text-sm font-medium text-ink no-underline -outline-offset-2 hover:bg-raised aria-[current]:bg-brand aria-[current]:text-on-brand"
            >
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
