import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { findMachine, MachineParams } from '../../plant/machines/index.ts'
import { AutoMap, AutoMapAnswer, MappingBody, MappingParams, MappingPatch } from './schemas.ts'
import { suggest } from './suggest.ts'

const route = routeFor<TenantScope>()
const tag = 'Sensor data'
/** Of a machine at most, so that its list stays whole in one answer. */
const MAX_MAPPINGS = 5_000

interface MappingRow {
  id: string
  tenant_id: string
  machine_id: string
  raw_tag: string
  standardized_name: string
  unit: string
  is_confirmed: boolean
  confidence_score: number
  created_at: Date
  updated_at: Date
}
const columns = (sql: TransactionSql) =>
  sql`id, tenant_id, machine_id, raw_tag, standardized_name, unit, is_confirmed, confidence_score, created_at, updated_at`
const present = (row: MappingRow) => ({
  ...row,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

async function findMapping(scope: TenantScope, { mapping_id }: { mapping_id: string }): Promise<MappingRow> {
  const [row] = await scope.rawTx(
    (sql) =>
      sql<MappingRow[]>`select ${columns(sql)} from tag_mappings where tenant_id = ${scope.tenantId} and id = ${mapping_id}`,
  )
  if (!row) throw new NotFound('tag mapping', mapping_id)
  return row
}

/**
 * Suggests a metric and unit for each tag and saves what nobody has confirmed; a confirmed mapping is answered as it is.
 * @throws NotFound for an unknown machine, Conflict when a machine has too many
 */
async function autoMap(scope: TenantScope, tags: z.output<typeof AutoMap>['tags']) {
  const suggested = new Map(
    tags.map((given) => [`${given.machine_id} ${given.raw_tag}`, { ...given, ...suggest(given.raw_tag, given.context ?? '') }]),
  )
  const all = [...suggested.values()]
  const machineIds = [...new Set(all.map((s) => s.machine_id))].sort()
  return scope.rawTx(async (sql) => {
    const known = await sql<{ id: string; mappings: number }[]>`
      select m.id, (select count(*)::int from tag_mappings t where t.tenant_id = m.tenant_id and t.machine_id = m.id) as mappings
      from machines m where m.tenant_id = ${scope.tenantId} and m.id = any(${machineIds}::uuid[])`
    const missing = machineIds.find((id) => !known.some((machine) => machine.id === id))
    if (missing) throw new NotFound('machine', missing)
    if (known.some(({ mappings }) => mappings > MAX_MAPPINGS - 50))
      throw new Conflict('too_many_mappings', `A machine has at most ${MAX_MAPPINGS} tag mappings.`)
    const now = scope.clock.now()
    const saved = await sql`
      insert into tag_mappings as t (tenant_id, machine_id, raw_tag, standardized_name, unit, confidence_score, created_at, updated_at)
      select ${scope.tenantId}::uuid, m, r, n, u, c, ${now}, ${now}
      from unnest(${all.map((s) => s.machine_id)}::uuid[], ${all.map((s) => s.raw_tag)}::text[], ${all.map((s) => s.name)}::text[],
        ${all.map((s) => s.unit)}::text[], ${all.map((s) => s.confidence)}::float8[]) s(m, r, n, u, c)
      order by m, r
      on conflict (tenant_id, machine_id, raw_tag) do update
        set standardized_name = excluded.standardized_name, unit = excluded.unit, confidence_score = excluded.confidence_score, updated_at = ${now}
        where not t.is_confirmed
      returning 1`
    const confirmed = await sql<MappingRow[]>`
      select ${columns(sql)} from tag_mappings
      where tenant_id = ${scope.tenantId} and machine_id = any(${machineIds}::uuid[]) and is_confirmed and raw_tag = any(${all.map((s) => s.raw_tag)}::text[])`
    return {
      suggested,
      confirmed: new Map(confirmed.map((row) => [`${row.machine_id} ${row.raw_tag}`, row])),
      saved: saved.length,
    }
  })
}

export const tagMappingRoutes = () => [
  route(
    {
      method: 'get',
      path: '/machines/{machine_id}/tag-mappings',
      access: 'any',
      tag,
      summary: 'Tag mappings of a machine, by tag',
      description:
        'A mapping gives the tag names of a vendor a standard metric name and unit. All mappings of the machine in one list, by tag; at most 5,000.',
      params: MachineParams,
      returns: z.array(MappingBody),
    },
    async ({ scope, params }) =>
      (
        await scope.rawTx(
          (sql) => sql<MappingRow[]>`
            select ${columns(sql)} from tag_mappings where tenant_id = ${scope.tenantId} and machine_id = ${params.machine_id} order by raw_tag, id`,
        )
      ).map(present),
    findMachine,
  ),
  route(
    {
      method: 'post',
      path: '/tag-mappings/auto-map',
      access: 'operator',
      tag,
      summary: "Suggest metrics and units for a vendor's tags",
      description:
        'Suggests a metric and a unit for each tag from its name and context, and saves the suggestions for review. A confirmed mapping is answered as it is and never changed; an unconfirmed one is renewed. How often a suggestion of some confidence is right stands in `cloud-hub/docs/tag-mapping.md`.',
      body: AutoMap,
      returns: AutoMapAnswer,
      status: 200,
      refuses: { 404: ['machine_not_found'], 409: ['too_many_mappings'] },
    },
    async ({ scope, body }) => {
      const { suggested, confirmed, saved } = await autoMap(scope, body.tags)
      const results = body.tags.map(({ machine_id, raw_tag }) => {
        const key = `${machine_id} ${raw_tag}`
        const settled = confirmed.get(key)
        if (settled) return { raw_tag, standardized_name: settled.standardized_name, unit: settled.unit, confidence_score: 1 }
        const { name, unit, confidence } = suggested.get(key) as { name: string; unit: string; confidence: number }
        return { raw_tag, standardized_name: name, unit, confidence_score: confidence }
      })
      return { results, saved_count: saved }
    },
  ),
  route(
    {
      method: 'patch',
      path: '/tag-mappings/{mapping_id}',
      access: 'operator',
      tag,
      summary: 'Correct a mapping',
      description:
        'Changes name or unit; the confidence becomes 1, because a person decided. Readings follow the mapping once it is confirmed.',
      params: MappingParams,
      body: MappingPatch,
      shows: { confidence_score: 1 },
      returns: MappingBody,
    },
    async ({ scope, params, body, found }) => {
      const values = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
      if (Object.keys(values).length === 0) return present(found)
      const [row] = await scope.rawTx(
        (sql) => sql<MappingRow[]>`
          update tag_mappings set ${sql({ ...values, confidence_score: 1, updated_at: scope.clock.now() })}
          where tenant_id = ${scope.tenantId} and id = ${params.mapping_id} returning ${columns(sql)}`,
      )
      if (!row) throw new NotFound('tag mapping', params.mapping_id)
      return present(row)
    },
    findMapping,
  ),
  route(
    {
      method: 'post',
      path: '/tag-mappings/{mapping_id}/confirm',
      access: 'operator',
      tag,
      summary: 'Confirm a mapping: later readings of the machine that carry the tag get its name and unit',
      description:
        'From now on, readings of the machine that carry this `raw_tag` are stored under the name and unit of the mapping. The unit is relabelled, values are never converted, and stored readings stay as they are. Confirming again changes nothing.',
      params: MappingParams,
      shows: { is_confirmed: true },
      returns: MappingBody,
      status: 200,
    },
    async ({ scope, params }) => {
      const [row] = await scope.rawTx(
        (sql) => sql<MappingRow[]>`
          update tag_mappings set is_confirmed = true, updated_at = case when is_confirmed then updated_at else ${scope.clock.now()} end
          where tenant_id = ${scope.tenantId} and id = ${params.mapping_id} returning ${columns(sql)}`,
      )
      if (!row) throw new NotFound('tag mapping', params.mapping_id)
      return present(row)
    },
  ),
]
