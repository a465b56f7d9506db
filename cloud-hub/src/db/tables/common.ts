import { sql } from 'drizzle-orm'
import { customType, timestamp, uuid } from 'drizzle-orm/pg-core'

/** Timestamps in UTC with milliseconds. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 })
export const createdAt = () => instant('created_at').notNull().default(sql`now()`)
export const updatedAt = () => instant('updated_at').notNull().default(sql`now()`)
/** Time-ordered ids keep indexes compact. */
export const id = () => uuid('id').notNull().default(sql`uuidv7()`)
export const tenantId = () => uuid('tenant_id').notNull()
export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
