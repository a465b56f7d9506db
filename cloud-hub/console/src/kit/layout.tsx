import { Children, type ReactNode } from 'react'
import { Boundary } from './boundary.tsx'
import { useKeptHeight } from './kept-height.ts'
import { PageTitle } from './page-title.tsx'

/** The heading of a page, with its actions. */
export function PageHead({ title, lead, children }: { title: ReactNode; lead?: ReactNode; children?: ReactNode }) {
  return (
    <header className="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <PageTitle>{title}</PageTitle>
        {lead ? <p className="mt-0.5 text-soft">{lead}</p> : null}
      </div>
      {children ? <div className="no-print flex flex-wrap items-center gap-2">{children}</div> : null}
    </header>
  )
}

/** A titled region of a page. */
export function Panel({
  title,
  actions,
  className = '',
  children,
}: {
  title: string
  actions?: ReactNode
  className?: string
  children: ReactNode
}) {
  return (
    <section ref={useKeptHeight(title)} className={`card min-w-0 ${className}`} aria-label={title}>
      <div className="flex min-h-12 flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2">
        <h2>{title}</h2>
        {actions ? <div className="no-print flex flex-wrap items-center gap-2">{actions}</div> : null}
      </div>
      <Boundary>{children}</Boundary>
    </section>
  )
}

/**
 * The panels of a page. One that fails says so in its place, and the others go on. Those that follow one whose height is not known yet are
 * shown after it, so that none of them moves.
 * @param props `isOneRow`: from 1,024 px on they are beside each other, where none moves another
 */
export function Panels({
  className = 'flex flex-col gap-4',
  isOneRow = false,
  children,
}: {
  className?: string
  isOneRow?: boolean
  children: ReactNode
}) {
  return (
    <div className={`${isOneRow ? 'max-lg:panels' : 'panels'} ${className}`}>
      {Children.map(children, (panel) => panel && <Boundary className="card">{panel}</Boundary>)}
    </div>
  )
}

/** Outlines of what will be there, on a grid of 240 by 72. */
const OUTLINES = {
  list: 'M8 10h224v14H8zM8 30h224v14H8zM8 50h224v14H8zM16 17h90M16 37h120M16 57h70',
  bars: 'M8 10h200v12H8zM8 30h130v12H8zM8 50h70v12H8z',
  chart: 'M20 6v58h212M20 50l30-12 30 8 34-22 32 10 36-18 50 6',
  tiles: 'M8 8h68v56H8zM86 8h68v56H86zM164 8h68v56h-68zM16 20h40M94 20h40M172 20h40',
} as const

/** Shown where there is nothing: draws what will be there, says why, and offers the next step. */
export function Empty({
  title,
  shape = 'list',
  children,
}: {
  title: string
  shape?: keyof typeof OUTLINES
  children?: ReactNode
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-8 text-center">
      <svg
        viewBox="0 0 240 72"
        className="mb-1 h-18 w-60 max-w-full text-line"
        fill="none"
        stroke="currentColor"
        aria-hidden="true"
      >
        <path d={OUTLINES[shape]} strokeWidth="1.5" strokeLinejoin="round" strokeDasharray="4 3" />
      </svg>
      <p className="font-medium">{title}</p>
      {children ? <div className="max-w-prose text-soft">{children}</div> : null}
    </div>
  )
}

/** The shape of what is being loaded. */
export function SkeletonRows({ rows = 5, label }: { rows?: number; label: string }) {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-3 p-4">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no identity
        <div key={row} className="skeleton h-6" />
      ))}
    </div>
  )
}
