import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Icon } from './icon.tsx'

/** A wider table scrolls sideways. */
const MAX_STACKED_PX = 640

/** A table. Where it does not fit in a narrow frame, as on a phone, each row becomes a list of its values. */
export function Table({ label, children }: { label: string; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const box = frame.current as HTMLDivElement
    // at once: the observer may be told only after the table was drawn, and the page would jump
    let measured = box.clientWidth
    fitTable(box)
    const resized = new ResizeObserver(() => {
      if (box.clientWidth === measured) return
      measured = box.clientWidth
      fitTable(box)
    })
    resized.observe(box)
    const changed = new MutationObserver(() => fitRows(box))
    changed.observe(box, { childList: true, subtree: true })
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

const tableOf = (box: HTMLElement) => box.firstElementChild as HTMLTableElement

/** Its natural width decides, so it is a table again while that is measured. */
function fitTable(box: HTMLElement): void {
  tableOf(box).classList.remove('stacked')
  fitRows(box)
}

/** Rows that come later do not undo the list: a page that became shorter and longer again would jump. */
function fitRows(box: HTMLElement): void {
  const table = tableOf(box)
  const isStacked = table.classList.contains('stacked')
  if (!isStacked && (box.clientWidth > MAX_STACKED_PX || box.scrollWidth <= box.clientWidth)) return
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
        className="inline-flex items-end gap-1 text-left font-medium"
        onClick={() => onSort(name, isSorted && dir === 'asc' ? 'desc' : 'asc')}
      >
        {children}
        {isSorted ? <Icon name={dir === 'asc' ? 'up' : 'down'} className="size-4" /> : null}
      </button>
    </th>
  )
}
