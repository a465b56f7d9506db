import type { TenantScope } from '../../../db/scope.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { findMachine, MachineParams } from '../../plant/machines/index.ts'
import { autoMap } from './auto-map.ts'
import { confirmMapping, correctMapping, findMapping, listMappings, lockMapping, type MappingRow } from './repository.ts'
import { AutoMap, AutoMapResponse, MappingBody, MappingParams, MappingPatch } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Sensor data'
const withVersion = versionedBy(MappingPatch)
const present = (row: MappingRow) =>
  withVersion({
    id: row.id,
    tenant_id: row.tenantId,
    machine_id: row.machineId,
    raw_tag: row.rawTag,
    standardized_name: row.standardizedName,
    unit: row.unit,
    is_confirmed: row.isConfirmed,
    confidence_score: row.confidenceScore,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  })

export const tagMappingRoutes = () => [
  route(
    {
      method: 'get',
      path: '/machines/{machine_id}/tag-mappings',
      operation: 'listTagMappings',
      access: 'any',
      tag,
      summary: 'Tag mappings of a machine, by tag',
      description:
        'A mapping gives the tag names of a vendor a standard metric name and unit. All mappings of the machine in one list, by tag; at most 5,000.',
      params: MachineParams,
      returns: z.array(MappingBody),
    },
    async ({ scope, params }) => (await listMappings(scope, params.machine_id)).map(present),
    findMachine,
  ),
  route(
    {
      method: 'post',
      path: '/tag-mappings/auto-map',
      operation: 'suggestTagMappings',
      access: 'operator',
      tag,
      summary: "Suggest metrics and units for a vendor's tags",
      description:
        'Suggests a metric and a unit for each tag from its name and context, and saves the suggestions for review. A confirmed mapping is answered as it is and never changed; an unconfirmed one is renewed. How often a suggestion of some confidence is right stands in `cloud-hub/docs/tag-mapping.md`.',
      body: AutoMap,
      returns: AutoMapResponse,
      status: 200,
      refuses: { 404: ['machine_not_found'], 409: ['too_many_mappings'] },
    },
    async ({ scope, body }) => {
      const { suggested, confirmed, saved } = await autoMap(scope, body.tags)
      const results = body.tags.map(({ machine_id, raw_tag }) => {
        const key = `${machine_id} ${raw_tag}`
        const settled = confirmed.get(key)
        if (settled) return { raw_tag, standardized_name: settled.standardizedName, unit: settled.unit, confidence_score: 1 }
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
      operation: 'updateTagMapping',
      access: 'operator',
      tag,
      summary: 'Correct a mapping',
      description:
        'Changes name or unit; the confidence becomes 1, because a person decided. Readings follow the mapping once it is confirmed.',
      params: MappingParams,
      body: MappingPatch,
      shows: { confidence_score: 1 },
      changes: { lock: lockMapping, current: async (scope, params) => present(await findMapping(scope, params)) },
      returns: MappingBody,
    },
    async ({ scope, params, body, found }) => {
      const values = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
      if (Object.keys(values).length === 0) return present(found)
      return present(await correctMapping(scope, params.mapping_id, values))
    },
    findMapping,
  ),
  route(
    {
      method: 'post',
      path: '/tag-mappings/{mapping_id}/confirm',
      operation: 'confirmTagMapping',
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
    async ({ scope, params }) => present(await confirmMapping(scope, params.mapping_id)),
    findMapping,
  ),
]
