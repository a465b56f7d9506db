import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** A table that scrolls sideways where it is wider than the page. */
export function Table({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className="relative overflow-x-auto" tabIndex={0}>
      <table className="data-table w-full" aria-label={label}>
        {children}
      </table>
    </div>
  )
}

/** The heading of a column that sorts the table. */
export function SortHeader<S extends string>({
  name,
  sort,
  dir,
  onSort,
  className = '',
  children,
}: {
  name: S
  sort: S
  dir: 'asc' | 'desc'
  onSort(sort: S, dir: 'asc' | 'desc'): void
  className?: string
  children: ReactNode
}) {
  const isSorted = sort === name
  return (
    <th className={className} aria-sort={isSorted ? (dir === 'asc' ? 'ascending' : 'descending') : undefined}>
      <button
        type="button"
        className="inline-flex items-center gap-1 font-semibold"
        onClick={() => onSort(name, isSorted && dir === 'asc' ? 'desc' : 'asc')}
      >
        {children}
        {isSorted ? <Icon name={dir === 'asc' ? 'up' : 'down'} className="size-4" /> : null}
      </button>
    </th>
  )
}
