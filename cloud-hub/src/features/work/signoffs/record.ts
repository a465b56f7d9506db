import canonicalize from 'canonicalize'
import { columns } from '../../../db/columns.ts'
import type { TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import type { attachments, workOrderInstructions } from '../../../db/tables/attachments.ts'
import type { signoffs } from '../../../db/tables/signoffs.ts'
import type { workOrderAssignees } from '../../../db/tables/work-orders.ts'
import { NotFound } from '../../../support/errors.ts'
import { z } from '../../../support/http/z.ts'
import type { WorkOrderRow } from './lock-work-order.ts'

export type SignoffRow = typeof signoffs.$inferSelect
export type InstructionRow = typeof workOrderInstructions.$inferSelect
export type SignedAttachmentRow = typeof attachments.$inferSelect
type AssigneeRow = typeof workOrderAssignees.$inferSelect
export type SignedNames = SignoffRow['names']

/** Everything that a sign-off of a work order signs, as it is stored. */
export interface WorkRecord {
  workOrder: WorkOrderRow
  /** additional assignees */
  assignees: AssigneeRow[]
  /** as the API lists them */
  instructions: InstructionRow[]
  /** oldest first */
  attachments: SignedAttachmentRow[]
}

/** The columns of a {@link SignoffRow}. */
export const SIGNOFF_COLUMNS = columns.signoffs
const SIGNED_ORDER_COLUMNS = columns.workOrders
const ASSIGNEE_COLUMNS = columns.workOrderAssignees
const INSTRUCTION_COLUMNS = columns.workOrderInstructions
const ATTACHMENT_COLUMNS = columns.attachments

/** @throws NotFound */
export async function loadRecord(
  sql: TransactionSql,
  { tenantId }: Pick<TenantScope, 'tenantId'>,
  workOrderId: string,
): Promise<WorkRecord> {
  const [[workOrder], assignees, instructions, files] = await Promise.all([
    sql<WorkOrderRow[]>`
      select ${sql.unsafe(SIGNED_ORDER_COLUMNS)} from work_orders where tenant_id = ${tenantId} and id = ${workOrderId}`,
    sql<AssigneeRow[]>`
      select ${sql.unsafe(ASSIGNEE_COLUMNS)} from work_order_assignees
      where tenant_id = ${tenantId} and work_order_id = ${workOrderId} order by position, user_id`,
    sql<InstructionRow[]>`
      select ${sql.unsafe(INSTRUCTION_COLUMNS)} from work_order_instructions
      where tenant_id = ${tenantId} and work_order_id = ${workOrderId} order by step_order, created_at, id`,
    sql<SignedAttachmentRow[]>`
      select ${sql.unsafe(ATTACHMENT_COLUMNS)} from attachments
      where tenant_id = ${tenantId} and work_order_id = ${workOrderId} order by created_at, id`,
  ])
  if (!workOrder) throw new NotFound('work order', workOrderId)
  return { workOrder, assignees, instructions, attachments: files }
}

/** The version of the payload that new sign-offs sign. A version names its fields for ever: changing them takes a new one. */
export const PAYLOAD_VERSION = 1

type SignoffFields = Omit<SignoffRow, 'payload' | 'signatureHash'>

/** An instant as ISO 8601 text. The owner of a database can store one that JavaScript has not, such as `infinity`. */
export const instantText = (at: Date): string => (Number.isNaN(at.getTime()) ? 'unreadable' : at.toISOString())
const iso = (at: Date | null) => at && instantText(at)

/** The names of a sign-off, or null when somebody stored something else there. */
export const signedNamesOf = ({ names }: { names: unknown }): SignedNames | null => NAMES.safeParse(names).data ?? null
const NAMES = z.strictObject({
  machine: z.strictObject({ name: z.string(), identifier: z.string(), location: z.string().nullable() }),
  customer: z.string(),
  people: z.record(z.string(), z.string()),
})

/**
 * The payload of a sign-off in version 1: every column of the record and of the sign-off by its name in the database, but for the time of
 * the last change, and for payload and signature themselves.
 */
const payload = (record: WorkRecord, signoff: SignoffFields) => ({
  version: signoff.payloadVersion,
  tenant_id: record.workOrder.tenantId,
  work_order: { ...workOrderFields(record.workOrder), assignees: record.assignees.map(assigneeFields) },
  instructions: record.instructions.map(instructionFields),
  attachments: record.attachments.map(attachmentFields),
  signer: { id: signoff.signedBy, name: signoff.signerName, email: signoff.signerEmail, role: signoff.signerRole },
  names: signedNamesOf(signoff) && signoff.names,
  signoff: placeFields(signoff),
})

const workOrderFields = (row: WorkOrderRow) => ({
  id: row.id,
  machine_id: row.machineId,
  alert_id: row.alertId,
  maintenance_event_id: row.maintenanceEventId,
  title: row.title,
  description: row.description,
  status: row.status,
  priority: row.priority,
  assigned_to: row.assignedTo,
  due_date: iso(row.dueDate),
  completed_at: iso(row.completedAt),
  completion_notes: row.completionNotes,
  created_by: row.createdBy,
  created_at: iso(row.createdAt),
})

const assigneeFields = ({ userId, position }: AssigneeRow) => ({ user_id: userId, position })

const instructionFields = (row: InstructionRow) => ({
  id: row.id,
  step_order: row.stepOrder,
  title: row.title,
  body: row.body,
  attachment_id: row.attachmentId,
  completed_at: iso(row.completedAt),
  completed_by: row.completedBy,
  created_by: row.createdBy,
  created_at: iso(row.createdAt),
})

const attachmentFields = (row: SignedAttachmentRow) => ({
  id: row.id,
  maintenance_event_id: row.maintenanceEventId,
  uploaded_by: row.uploadedBy,
  filename: row.filename,
  content_type: row.contentType,
  size_bytes: row.sizeBytes,
  sha256: row.sha256,
  storage_key: row.storageKey,
  created_at: iso(row.createdAt),
})

/** What makes the sign-off this one: its ids, its place in both chains, its key and its time. */
const placeFields = (row: SignoffFields) => ({
  id: row.id,
  tenant_id: row.tenantId,
  work_order_id: row.workOrderId,
  number: row.number,
  sequence: row.sequence,
  previous_hash: row.previousHash,
  tenant_previous_hash: row.tenantPreviousHash,
  key_id: row.keyId,
  signed_at: iso(row.signedAt),
  created_at: iso(row.createdAt),
})

/** The payload as canonical JSON (RFC 8785), over which the HMAC is computed. */
export function canonicalPayload(record: WorkRecord, signoff: SignoffFields): string {
  return canonicalize(payload(record, signoff)) as string
}
