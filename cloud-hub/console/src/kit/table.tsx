import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Icon } from './icon.tsx'
import { narrow } from './use-narrow.ts'

/** A table; where it is wider than a phone, each row becomes a list of its values. Elsewhere it scrolls sideways. */
export function Table({ label, children }: { label: string; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const box = frame.current as HTMLDivElement
    const fit = () => fitTable(box)
    const resized = new ResizeObserver(fit)
    resized.observe(box)
    const changed = new MutationObserver(fit)
    changed.observe(box, { childList: true, subtree: true, characterData: true })
    return () => {
      resized.disconnect()
      changed.disconnect()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div ref={frame} className="relative overflow-x-auto" tabIndex={0}>
      <table className="data-table w-full" aria-label={label}>
        {children}
      </table>
    </div>
  )
}

/** Its natural width decides, so it is a table again while that is measured. */
function fitTable(box: HTMLElement): void {
  const table = box.firstElementChild as HTMLTableElement
  table.classList.remove('stacked')
  if (!narrow.matches || box.scrollWidth <= box.clientWidth) return
  const labels = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => (cell.querySelector('.sr-only') ? '' : cell.textContent))
  for (const row of table.tBodies[0]?.rows ?? [])
    for (const cell of row.cells) {
      const text = cell.colSpan === 1 ? labels[cell.cellIndex] : ''
      if (text) cell.dataset.label = text
    }
  table.classList.add('stacked')
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
