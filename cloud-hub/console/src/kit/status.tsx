import type { ReactNode } from 'react'

export type Tone = 'healthy' | 'info' | 'warning' | 'critical' | 'offline'

const TEXT: Record<Tone, string> = {
  healthy: 'text-healthy',
  info: 'text-info',
  warning: 'text-warning',
  critical: 'text-critical',
  offline: 'text-offline',
}
/** Every tone has a shape of its own, for people who do not tell the colours apart. */
const SHAPES: Record<Tone, ReactNode> = {
  healthy: <circle cx="6" cy="6" r="5" />,
  info: <path d="M1 1h10v10H1z" />,
  warning: <path d="M6 .5 12 11.500H0z" />,
  critical: <path d="M3.500 0h5L12 3.500v5L8.500 12h-5L0 8.500v-5z" />,
  offline: <path d="M6 0a6 6 0 1 0 0 12A6 6 0 0 0 6 0m0 2.500a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7" />,
}

/** A shape in the colour of a state. */
export function Dot({ tone, className = 'size-3' }: { tone: Tone; className?: string }) {
  return (
    <svg viewBox="0 0 12 12" className={`shrink-0 ${className} ${TEXT[tone]}`} fill="currentColor" aria-hidden="true">
      {SHAPES[tone]}
    </svg>
  )
}

/** A state with its shape, colour and name. */
export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={`inline-flex items-center gap-1.5 font-medium whitespace-nowrap ${TEXT[tone]}`}>
      <Dot tone={tone} />
      {children}
    </span>
  )
}
