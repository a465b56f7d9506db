import type { ReactNode } from 'react'
import { Dot, type Tone } from './status.tsx'

/** A message in the page. A fault is announced at once by assistive technology. */
export function Notice({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <div role={tone === 'critical' ? 'alert' : 'status'} className="card flex items-start gap-2.5 bg-raised px-3.5 py-2.5">
      <Dot tone={tone} className="mt-1.5 size-3" />
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  )
}
