import type { Schemas } from '../../../api/client.ts'
import {
  AGENT_ROLLOUT_BODY_WAVE_SIZES_ITEM_MAX,
  AGENT_ROLLOUT_BODY_WAVE_SIZES_ITEM_MIN,
  AGENT_ROLLOUT_BODY_WAVE_SIZES_MAX_ITEMS,
} from '../../../api/limits.ts'
import type { Tone } from '../../../kit/status.tsx'

type Rollout = Schemas['AgentRollout']
export type AgentState = Schemas['AgentRolloutDetail']['agents'][number]['state']

export const ROLLOUT_TONES: Record<Rollout['state'], Tone> = {
  running: 'info',
  paused: 'warning',
  stopped: 'critical',
  completed: 'healthy',
  cancelled: 'offline',
}

/** In the order in which an agent goes through them; how it can end comes last. */
export const AGENT_STATES = [
  'pending',
  'announced',
  'waiting',
  'downloading',
  'verified',
  'switched',
  'confirmed',
  'rolled_back',
  'refused',
  'failed',
  'skipped',
  'cancelled',
] as const satisfies readonly AgentState[]

export const AGENT_TONES: Record<AgentState, Tone> = {
  pending: 'offline',
  announced: 'info',
  waiting: 'info',
  downloading: 'info',
  verified: 'info',
  switched: 'info',
  confirmed: 'healthy',
  rolled_back: 'critical',
  refused: 'warning',
  failed: 'critical',
  skipped: 'offline',
  cancelled: 'offline',
}

/** The agents that take part, and how many of them have confirmed the version. */
export function progressOf({ counts }: Pick<Rollout, 'counts'>): { confirmed: number; all: number } {
  const all = Object.entries(counts).reduce((sum, [state, count]) => sum + (state === 'skipped' ? 0 : count), 0)
  return { confirmed: counts.confirmed ?? 0, all }
}

/** How many agents each wave has; the last one has what remains. */
export function wavesOf(agents: number, sizes: readonly number[]): number[] {
  const waves: number[] = []
  let left = agents
  for (const size of sizes) {
    if (left <= 0) break
    waves.push(Math.min(size, left))
    left -= size
  }
  return left > 0 ? [...waves, left] : waves
}

/** @returns null for a text that is no list of whole numbers that the API accepts */
export function sizesIn(text: string): number[] | null {
  const sizes = text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number)
  const isSize = (it: number) =>
    Number.isInteger(it) && it >= AGENT_ROLLOUT_BODY_WAVE_SIZES_ITEM_MIN && it <= AGENT_ROLLOUT_BODY_WAVE_SIZES_ITEM_MAX
  const isValid = sizes.length > 0 && sizes.length <= AGENT_ROLLOUT_BODY_WAVE_SIZES_MAX_ITEMS && sizes.every(isSize)
  return isValid ? sizes : null
}
