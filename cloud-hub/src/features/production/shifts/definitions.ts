import { and, asc, count, eq, sql } from 'drizzle-orm'
import { tenantLockKey } from '../../../db/advisory-locks.ts'
import { first, owned, type TenantScope } from '../../../db/scope.ts'
import { shiftDefinitions } from '../../../db/tables/shifts.ts'
import { Conflict, NotFound } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import { type DefinitionCreate, type DefinitionPut, MAX_DEFINITIONS } from './schemas.ts'

export type DefinitionRow = typeof shiftDefinitions.$inferSelect

const DEFAULT_COLOR = '#3B82F6'
const one = (scope: TenantScope, id: string) => and(owned(shiftDefinitions, scope), eq(shiftDefinitions.id, id))

const minutesOfDay = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5)) + Number(time.slice(6)) / 60

/** Minutes from one local time to another, across midnight where the end is not later; at least 1. */
export const durationOf = (startTime: string, endTime: string): number => {
  const minutes = minutesOfDay(endTime) - minutesOfDay(startTime)
  return Math.max(1, Math.round(minutes > 0 ? minutes : minutes + 1_440))
}

/** By `sort_order`, then by start. */
export const listDefinitions = (scope: TenantScope, query: { active_only: boolean }): Promise<DefinitionRow[]> =>
  scope.read((db) =>
    db
      .select()
      .from(shiftDefinitions)
      .where(and(owned(shiftDefinitions, scope), query.active_only ? eq(shiftDefinitions.isActive, true) : undefined))
      .orderBy(asc(shiftDefinitions.sortOrder), asc(shiftDefinitions.startTime), asc(shiftDefinitions.id)),
  )

/** @throws NotFound */
export async function findDefinition(
  scope: TenantScope,
  { definition_id: id }: { definition_id: string },
): Promise<DefinitionRow> {
  const row = await scope.read((db) => db.select().from(shiftDefinitions).where(one(scope, id)).then(first))
  if (!row) throw new NotFound('shift definition', id)
  return row
}

/** @throws Conflict at the maximum */
export const createDefinition = (scope: TenantScope, given: z.output<typeof DefinitionCreate>): Promise<DefinitionRow> =>
  scope.tx(async (db) => {
    await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${tenantLockKey('shift_definitions', scope)}, 0))`)
    const counted = await db.select({ n: count() }).from(shiftDefinitions).where(owned(shiftDefinitions, scope)).then(first)
    if ((counted?.n ?? 0) >= MAX_DEFINITIONS)
      throw new Conflict('too_many_shift_definitions', `A tenant has at most ${MAX_DEFINITIONS} shift definitions.`, {
        limit: MAX_DEFINITIONS,
      })
    const now = scope.clock.now()
    const values = {
      tenantId: scope.tenantId,
      name: given.name,
      startTime: given.start_time,
      endTime: given.end_time,
      durationMinutes: given.duration_minutes ?? durationOf(given.start_time, given.end_time),
      color: given.color || DEFAULT_COLOR,
      isActive: given.is_active ?? true,
      sortOrder: given.sort_order ?? 0,
      createdAt: now,
      updatedAt: now,
    }
    const row = await db.insert(shiftDefinitions).values(values).returning().then(first)
    if (!row) throw new Error('an inserted shift definition was not returned')
    return row
  })

/** Changes the given fields. New times without a duration have theirs computed. @throws NotFound */
export const changeDefinition = (scope: TenantScope, id: string, given: z.output<typeof DefinitionPut>): Promise<DefinitionRow> =>
  scope.tx(async (db) => {
    const old = await db.select().from(shiftDefinitions).where(one(scope, id)).for('update').then(first)
    if (!old) throw new NotFound('shift definition', id)
    const startTime = given.start_time ?? old.startTime
    const endTime = given.end_time ?? old.endTime
    const hasNewTimes = startTime !== old.startTime || endTime !== old.endTime
    const values = {
      name: given.name ?? old.name,
      startTime,
      endTime,
      durationMinutes: given.duration_minutes ?? (hasNewTimes ? durationOf(startTime, endTime) : old.durationMinutes),
      color: given.color === '' ? DEFAULT_COLOR : (given.color ?? old.color),
      isActive: given.is_active ?? old.isActive,
      sortOrder: given.sort_order ?? old.sortOrder,
    }
    if (Object.entries(values).every(([key, value]) => old[key as keyof typeof values] === value)) return old
    const set = { ...values, updatedAt: scope.clock.now() }
    const row = await db.update(shiftDefinitions).set(set).where(one(scope, id)).returning().then(first)
    if (!row) throw new Error('a locked shift definition was not changed')
    return row
  })
