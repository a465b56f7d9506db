import type { Language } from '@haltless/protocol'
import type { TenantScope } from '../../../db/scope.ts'
import type { Clock } from '../../../support/clock.ts'
import { TooManyRequests } from '../../../support/errors.ts'
import type { DistributedRateLimit } from '../../../support/http/distributed-rate-limit.ts'
import { limitHeaders } from '../../../support/http/rate-limit.ts'
import type { Logger } from '../../../support/logger.ts'
import type { GuardedClient } from '../../../support/net/guarded-client.ts'
import { generateNarrative, type NarrativeProvider, narrate } from './narratives/index.ts'
import { findPrediction, isKnown, narrativesEnabled, saveNarrative } from './repository.ts'

/** Narratives of a tenant in a rolling minute. */
const PER_MINUTE = 10

export interface NarrativeDeps {
  /** null: none is configured */
  provider: NarrativeProvider | null
  http: GuardedClient
  limit: DistributedRateLimit
  clock: Clock
  logger: Pick<Logger, 'warn'>
}

/**
 * The narrative of a machine: the stored text for these facts, a new one of the provider where the tenant permits it, else the
 * template.
 * @throws TooManyRequests
 */
export async function findNarrative(deps: NarrativeDeps, scope: TenantScope, machineId: string, language: Language) {
  const decision = await deps.limit.hit(`narratives ${scope.tenantId}`, PER_MINUTE, deps.clock.now().getTime())
  if (!decision.ok)
    throw new TooManyRequests(
      'narrative_limit',
      `A tenant may request ${PER_MINUTE} narratives per minute; try again in ${decision.retryAfter} s.`,
      decision.retryAfter,
      limitHeaders(decision),
    )
  const row = await findPrediction(scope, machineId)
  if (!isKnown(row)) return { text: null, source: 'template' as const }
  const stored = row.narratives[language]
  if (stored) return { text: stored, source: 'model' as const }
  if (deps.provider && (await narrativesEnabled(scope))) {
    const answer = await generateNarrative(deps.http, deps.provider, row, language)
    if ('text' in answer) {
      await saveNarrative(scope, row, language, answer.text)
      return { text: answer.text, source: 'model' as const }
    }
    // the reason names neither key nor facts
    deps.logger.warn({ reason: answer.reason }, 'the narrative provider gave no usable text; the template is used')
  }
  return { text: narrate(row, language), source: 'template' as const }
}
