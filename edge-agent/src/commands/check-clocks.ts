import { READING_LIMITS } from '@haltless/protocol'
import { clockConsequence, offsetText } from '../collectors/clock-text.ts'
import type { CollectorSource } from '../collectors/collector.ts'
import type { Finding } from './findings.ts'

/** A clock, and how far it is ahead of that of this box, ms. */
export type ComparedClock = { name: string; aheadMs: number } & (
  | { kind: 'hub' | 'box' }
  | { kind: 'device'; source: CollectorSource }
)

/** Clocks that differ by less agree. */
const TOLERANCE_MS = 10_000

const agree = (a: ComparedClock, b: ComparedClock) => Math.abs(a.aheadMs - b.aheadMs) < TOLERANCE_MS
const TRUST = { hub: 0, box: 1, device: 2 } as const

/**
 * Compares the clocks of hub, devices and this box, and names those that are wrong. Where hub and box agree they are right, however many
 * devices run on local time. Else the clock is right that most others agree with; without a majority that of the hub, then of the box.
 */
export function compareClocks(others: readonly ComparedClock[]): Finding[] {
  const box: ComparedClock = { name: 'the clock of this box', kind: 'box', aheadMs: 0 }
  const clocks = [box, ...others]
  const votes = new Map(clocks.map((clock) => [clock, clocks.filter((other) => agree(clock, other)).length]))
  const [widestAgreement = box] = clocks.toSorted(
    (a, b) => (votes.get(b) as number) - (votes.get(a) as number) || TRUST[a.kind] - TRUST[b.kind],
  )
  const right = others.find((other) => other.kind === 'hub' && agree(box, other)) ?? widestAgreement
  const wrong = clocks.filter((clock) => !agree(clock, right))
  const isCertain = others.some(({ kind }) => kind === 'hub') || clocks.length > 2
  if (wrong.length === 0 && others.length === 0) return []
  if (wrong.length === 0) return [{ what: 'clock', result: 'ok', words: `${listed(clocks)} agree`, lines: [] }]
  if (!isCertain) {
    const [clock] = wrong as [ComparedClock]
    const words = `${clock.name} and that of this box differ by ${offsetText(clock.aheadMs)}; set the one that is wrong`
    return [{ what: 'clock', result: 'note', words, lines: [] }]
  }
  return wrong.map((clock) => {
    const aheadMs = clock.aheadMs - right.aheadMs
    const words = `${clock.name} is ${offsetText(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} ${right.name}${consequence(clock, aheadMs)}`
    return { what: 'clock', result: isRejected(clock, aheadMs) ? 'FAIL' : 'note', words, lines: [] }
  })
}

const isRejected = ({ kind }: ComparedClock, aheadMs: number) => kind === 'box' && aheadMs > READING_LIMITS.futureMs

function consequence(clock: ComparedClock, aheadMs: number): string {
  if (clock.kind === 'hub') return '; report it to the operator of the hub'
  if (clock.kind === 'device') {
    const advice = isLocalTime(aheadMs) ? 'it seems to give local time as UTC: set its time zone' : 'set its clock'
    return `${clockConsequence(clock.source, aheadMs)}; ${advice}`
  }
  const advice = 'set its clock, and let NTP keep it'
  if (isRejected(clock, aheadMs)) return `, so the hub rejects readings that it stamps: they lie in the future; ${advice}`
  return `, and so are readings that it stamps; ${advice}`
}

/** Time zones differ from UTC by multiples of 15 minutes, up to 14 hours. */
function isLocalTime(aheadMs: number): boolean {
  const quarters = Math.round(aheadMs / 900_000)
  return quarters !== 0 && Math.abs(quarters) <= 56 && Math.abs(aheadMs - quarters * 900_000) < TOLERANCE_MS
}

function listed(clocks: readonly ComparedClock[]): string {
  const names = clocks.map(({ name }) => name)
  const [last] = names.splice(-1)
  return `${names.join(', ')} and ${last}`
}
