import { Forbidden } from '../../../support/errors.ts'
import type { Confined, Route } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'

/** Knows which machines and groups lie in groups. */
export interface GroupGate {
  /** whether each of these machines is in one of the groups, or below it */
  hasMachines(tenantId: string, groupIds: readonly string[], machineIds: readonly string[]): Promise<boolean>
  /** whether each of these groups is one of the groups, or below it */
  hasGroups(tenantId: string, groupIds: readonly string[], wanted: readonly string[]): Promise<boolean>
}

/** What is about no machine, and the same for everybody. */
const ABOUT_NO_MACHINE = new Set(['getCurrentUser', 'listReasonCodes', 'getReasonCodeTree', 'getUnitSettings'])
/** They take a group or its machines, and tell of others nevertheless, or change what a group contains. */
const ABOUT_ALL = new Set([
  'getBootstrap',
  'createMachineGroup',
  'updateMachineGroup',
  'deleteMachineGroup',
  'replaceMachineGroupMembers',
])

const named = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : typeof value === 'string' ? [value] : []

/** The machines of a query for series of readings. */
const machinesOfSeries = (value: unknown): string[] =>
  Array.isArray(value) ? value.flatMap((one) => named((one as { machineId?: unknown } | null)?.machineId)) : []

/**
 * Confines a request to machines of some groups. Nothing passes that does not say which machines it is about: the path, the body, what the
 * path names, or the query of a read. A read that takes `group_id` gets the group of a token that has one, and needs one of a token that has
 * several, also where it names machines: an answer may have more than these, such as counts of the plant.
 * @returns the query to go on with
 * @throws Forbidden
 */
export async function confineToGroups(
  gate: GroupGate,
  { tenantId, groupIds }: { tenantId: string; groupIds: readonly string[] },
  spec: Route['spec'],
  { params, query, body, found }: Confined,
): Promise<unknown> {
  if (ABOUT_NO_MACHINE.has(spec.operation)) return query
  const [ofPath, ofQuery, ofBody, ofFound] = [params, query, body, found].map(
    (part) => (part ?? {}) as Record<string, unknown>,
  ) as [Record<string, unknown>, Record<string, unknown>, Record<string, unknown>, Record<string, unknown>]
  const isRead = spec.method === 'get'
  const takesGroup = isRead && hasField(spec.query, 'group_id')
  const isClosed = ABOUT_ALL.has(spec.operation)
  const [only] = groupIds.length === 1 ? groupIds : []
  const chosen = takesGroup ? (ofQuery.group_id ?? only) : undefined
  const machines = [
    ...named(ofPath.machine_id),
    ...named(ofBody.machine_id),
    ...named(ofBody.machine_ids),
    ...named(ofFound.machineId),
    ...(isRead ? [...named(ofQuery.machine_id), ...named(ofQuery.machine_ids), ...machinesOfSeries(ofQuery.series)] : []),
  ]
  const groups = isRead ? [...named(ofPath.group_id), ...named(ofPath.site_id), ...named(chosen)] : []
  // What the path names must lie inside, whatever body and query say.
  const isPathKnown =
    Object.keys(ofPath).every((name) => isRead && (name === 'group_id' || name === 'site_id')) ||
    'machine_id' in ofPath ||
    named(ofFound.machineId).length > 0
  if (isClosed || !isPathKnown) throw outside(groupIds, aboutAll(spec))
  if (takesGroup && chosen === undefined)
    throw outside(groupIds, 'Add group_id=... to the query, with one of its groups or a group below them.')
  if (machines.length + groups.length === 0) throw outside(groupIds, whatToName(spec))
  const isInside = await Promise.all([
    machines.length === 0 || gate.hasMachines(tenantId, groupIds, machines),
    groups.length === 0 || gate.hasGroups(tenantId, groupIds, groups),
  ])
  if (isInside.includes(false)) throw outside(groupIds, 'The request names a machine or group that is in none of them.')
  return takesGroup ? { ...ofQuery, group_id: chosen } : query
}

const hasField = (shape: unknown, name: string): boolean => shape instanceof z.ZodObject && name in shape.shape

/** What a request must have that names nothing. */
function whatToName(spec: Route['spec']): string {
  if (spec.method === 'get' && hasField(spec.query, 'machine_id'))
    return 'Add machine_id=... to the query, with a machine of its groups.'
  if (hasField(spec.body, 'machine_id')) return 'Send machine_id in the body, with a machine of its groups.'
  if (hasField(spec.body, 'machine_ids')) return 'Send machine_ids in the body, with machines of its groups.'
  return aboutAll(spec)
}

const aboutAll = ({ method, path }: Route['spec']): string =>
  `${method.toUpperCase()} ${path} is not about single machines, and stays closed to it: use an access token without groups.`

const outside = (groupIds: readonly string[], detail: string) =>
  new Forbidden('token_outside_groups', `This access token is for machines of some groups. ${detail}`, {
    group_ids: groupIds.join(', '),
  })
