import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { confirmedMappings, countMappings, saveSuggestions } from './repository.ts'
import type { AutoMap } from './schemas.ts'
import { suggest } from './suggest.ts'

/** Maximum of mappings of a machine, so that one response can list all. */
const MAX_MAPPINGS = 5_000

/**
 * Suggests a metric and unit for each tag and saves the suggestions. A confirmed mapping is returned unchanged.
 * @throws NotFound for an unknown machine, Conflict when a machine has too many
 */
export async function autoMap(scope: TenantScope, tags: z.output<typeof AutoMap>['tags']) {
  const suggested = new Map(
    tags.map((given) => [`${given.machine_id} ${given.raw_tag}`, { ...given, ...suggest(given.raw_tag, given.context ?? '') }]),
  )
  const all = [...suggested.values()]
  const machineIds = [...new Set(all.map((s) => s.machine_id))].sort()
  return scope.tx(async (sql) => {
    const known = await countMappings(sql, scope, machineIds)
    const missing = machineIds.find((id) => !known.some((machine) => machine.id === id))
    if (missing) throw new NotFound('machine', missing)
    if (known.some(({ mappings }) => mappings > MAX_MAPPINGS - 50))
      throw new Conflict('too_many_mappings', `A machine has at most ${MAX_MAPPINGS} tag mappings.`, { limit: MAX_MAPPINGS })
    const saved = await saveSuggestions(sql, scope, all)
    const confirmed = await confirmedMappings(
      sql,
      scope,
      machineIds,
      all.map((s) => s.raw_tag),
    )
    return { suggested, confirmed: new Map(confirmed.map((row) => [`${row.machineId} ${row.rawTag}`, row])), saved }
  })
}
