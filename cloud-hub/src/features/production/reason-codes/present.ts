import { versionedBy } from '../../../support/http/record-version.ts'
import type { ReasonCodeRow } from './manage-reason-code.ts'
import { type ReasonCodeNode, ReasonCodePut } from './schemas.ts'

const withVersion = versionedBy(ReasonCodePut)
/** As the API shows it. */
export const presentReasonCode = (row: ReasonCodeRow) =>
  withVersion({
    id: row.id,
    code: row.code,
    label: row.label,
    category: row.category,
    oee_loss_category: row.oeeLossCategory,
    description: row.description,
    parent_id: row.parentId,
    is_active: row.isActive,
    sort_order: row.sortOrder,
    created_at: row.createdAt.toISOString(),
  })

/** Roots with their children, each in the order of the rows. A code whose parent is not among the rows is a root. */
export function reasonCodeTree(rows: readonly ReasonCodeRow[]): ReasonCodeNode[] {
  const nodes = new Map(rows.map((row) => [row.id, { ...presentReasonCode(row), children: [] as ReasonCodeNode[] }]))
  const roots: ReasonCodeNode[] = []
  for (const node of nodes.values()) (nodes.get(node.parent_id ?? '')?.children ?? roots).push(node)
  return roots
}
