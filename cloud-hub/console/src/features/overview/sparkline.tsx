import type { OverviewMachine } from './overview-query.ts'

type Trend = NonNullable<OverviewMachine['trend']>
const [WIDTH, HEIGHT, EDGE] = [100, 40, 3]

/** The last hour of a metric as a line, and its threshold as a dashed one. The value beside it says the same in words. */
export function Sparkline({ trend, threshold }: { trend: Trend | undefined; threshold: number }) {
  const known = trend?.values.filter((value) => value !== null) ?? []
  if (!trend || known.length < 2) return <span className="h-10 w-24 min-w-0" />
  const [low, high] = [Math.min(threshold, ...known), Math.max(threshold, ...known)]
  const y = (value: number) => HEIGHT - EDGE - ((value - low) / (high - low || 1)) * (HEIGHT - 2 * EDGE)
  const last = trend.values.length - 1
  const path = trend.values
    .map((value, place) => {
      if (value === null) return ''
      // a minute without a reading is a gap
      const isFirst = place === 0 || trend.values[place - 1] === null
      return `${isFirst ? 'M' : 'L'}${((place / last) * WIDTH).toFixed(1)} ${y(value).toFixed(1)}`
    })
    .join('')
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className="h-10 w-24 min-w-0" aria-hidden="true">
      <path d={`M0 ${y(threshold)}H${WIDTH}`} className="stroke-soft" strokeDasharray="3 3" vectorEffect="non-scaling-stroke" />
      <path
        d={path}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
