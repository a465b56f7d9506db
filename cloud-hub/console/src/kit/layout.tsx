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

/** The panels of a page. One that fails says so in its place, and the others go on. */
export function Panels({ className = 'flex flex-col gap-4', children }: { className?: string; children: ReactNode }) {
  return (
    <div className={className}>{Children.map(children, (panel) => panel && <Boundary className="card">{panel}</Boundary>)}</div>
  )
}

/** Shown where a list has nothing: says why, and offers the next step. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      <p className="font-semibold">{title}</p>
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
