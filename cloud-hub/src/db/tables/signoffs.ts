import { sql } from 'drizzle-orm'
import {
  bigint,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { tenants } from './accounts.ts'
import { createdAt, id, instant, tenantId } from './common.ts'
import { workOrders } from './work-orders.ts'

/**
 * Signatures of completed work orders. The hub's roles may insert and read them, and nothing else. No cascade from work orders: a
 * signed one cannot be deleted.
 */
export const signoffs = pgTable(
  'signoffs',
  {
    id: id(),
    tenantId: tenantId().references(() => tenants.id, { onDelete: 'cascade' }),
    workOrderId: uuid('work_order_id').notNull(),
    /** 1 to 20 in its work order */
    number: smallint('number').notNull(),
    /** position in the tenant's chain, from 1 without gaps */
    sequence: bigint('sequence', { mode: 'number' }).notNull(),
    signedBy: uuid('signed_by').notNull(),
    /** name, e-mail address and role of the signer at signing */
    signerName: text('signer_name').notNull(),
    signerEmail: text('signer_email').notNull(),
    signerRole: text('signer_role').notNull(),
    /** names at signing: of the machine, of the customer (the tenant), and of people by id */
    names: jsonb('names')
      .$type<{
        machine: { name: string; identifier: string; location: string | null }
        customer: string
        people: Record<string, string>
      }>()
      .notNull(),
    /** names the fields of the payload */
    payloadVersion: integer('payload_version').notNull(),
    /** the signed canonical JSON (RFC 8785) */
    payload: text('payload').notNull(),
    /** the HMAC key that signed it */
    keyId: text('key_id').notNull(),
    /** HMAC-SHA256 over the payload, hex */
    signatureHash: text('signature_hash').notNull(),
    /** the signature before it in the chain of its work order; null for the first */
    previousHash: text('previous_hash'),
    /** the same in the tenant's chain */
    tenantPreviousHash: text('tenant_previous_hash'),
    signedAt: instant('signed_at').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.id] }),
    foreignKey({ columns: [t.tenantId, t.workOrderId], foreignColumns: [workOrders.tenantId, workOrders.id] }),
    unique('signoffs_number_key').on(t.tenantId, t.workOrderId, t.number),
    unique('signoffs_sequence_key').on(t.tenantId, t.sequence),
    check('signoffs_number_check', sql`${t.number} between 1 and 20`),
  ],
)

/** The head of each tenant's chain of sign-offs. Signing locks the row; once a day the head is anchored in the audit log. */
export const signoffChains = pgTable(
  'signoff_chains',
  {
    tenantId: tenantId()
      .primaryKey()
      .references(() => tenants.id, { onDelete: 'cascade' }),
    /** the number of sign-offs */
    sequence: bigint('sequence', { mode: 'number' }).notNull(),
    headHash: text('head_hash').notNull(),
    anchoredSequence: bigint('anchored_sequence', { mode: 'number' }).notNull().default(0),
    anchoredAt: instant('anchored_at'),
  },
  (t) => [index('signoff_chains_grown_idx').on(t.anchoredAt).where(sql`${t.sequence} > ${t.anchoredSequence}`)],
)

/** The public verification reference of a work order's certificate, made with its first certificate. */
export const certificates = pgTable(
  'certificates',
  {
    tenantId: tenantId(),
    workOrderId: uuid('work_order_id').notNull(),
    /** 128 random bits, unique on the whole hub */
    reference: text('reference').notNull().unique(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.workOrderId] }),
    foreignKey({ columns: [t.tenantId, t.workOrderId], foreignColumns: [workOrders.tenantId, workOrders.id] }).onDelete(
      'cascade',
    ),
  ],
)
