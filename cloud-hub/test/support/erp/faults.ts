export const FAULTS = [
  'timeout_after_commit',
  '500',
  '429',
  '503',
  'expired_token',
  'csrf_expiry',
  'drop_before_commit',
  'drop_after_commit',
] as const
export type Fault = (typeof FAULTS)[number]
export type FaultTarget = 'create' | 'update' | 'write' | 'read' | 'any'

export interface FaultRule {
  fault: Fault
  /** default: write */
  on: FaultTarget
  /** hits every nth request of the target; default 1 */
  every: number
  /** then the rule ends; default: never with `every`, otherwise 1 */
  times: number
  /** of a 429 and a 503; default 1 */
  retryAfterSeconds: number
}

/** Decides which requests fail, and how. Deterministic: it counts. */
export function createInjector() {
  const rules: (FaultRule & { seen: number; hits: number })[] = []
  const counts: Partial<Record<Fault, number>> = {}
  return {
    /** how often each fault hit a request */
    counts,
    inject(fault: Fault, options: Partial<Omit<FaultRule, 'fault'>> = {}): void {
      const times = options.every === undefined ? 1 : Number.POSITIVE_INFINITY
      rules.push({ fault, on: 'write', every: 1, times, retryAfterSeconds: 1, seen: 0, hits: 0, ...options })
    },
    clear(): void {
      rules.length = 0
    },
    /** @returns the fault of this request, if any; at most one */
    next(kind: 'create' | 'update' | 'read'): FaultRule | null {
      let found: FaultRule | null = null
      for (const rule of rules) {
        if (rule.on !== 'any' && rule.on !== kind && !(rule.on === 'write' && kind !== 'read')) continue
        if (rule.hits >= rule.times) continue
        rule.seen++
        if (found || rule.seen % rule.every !== 0) continue
        rule.hits++
        counts[rule.fault] = (counts[rule.fault] ?? 0) + 1
        found = rule
      }
      return found
    },
  }
}
