import { createHash, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestHub, TestUser } from './harness.ts'

export interface WorkRecordIds {
  id: string
  machineId: string
  instructionIds: string[]
  attachmentIds: string[]
}

/** A completed work order with an additional assignee, two instructions and two attachments with the content `abc`, made by SQL. */
export async function completedWork(hub: TestHub, of: TestUser, title = 'Replace the bearing'): Promise<WorkRecordIds> {
  const { tenantId, userId } = of
  const machine = await hub.machine(of, { name: 'Mill 7 Łódź', location: 'Hall 3' })
  const sql = hub.owner
  const [order] = await sql<{ id: string }[]>`
    insert into work_orders (tenant_id, machine_id, title, description, status, priority, assigned_to, due_date, completed_at, completion_notes, created_by)
    values (${tenantId}, ${machine.id}, ${title}, 'It is worn.', 'completed', 'high', ${userId}, now() + interval '1 day', now(), 'Run-out 4 µm', ${userId})
    returning id`
  const id = order?.id as string
  await sql`insert into work_order_assignees (tenant_id, work_order_id, user_id, position) values (${tenantId}, ${id}, ${userId}, 0)`
  const files = await Promise.all(
    ['plan.pdf', '王.jpg'].map(async (filename) => {
      const key = await storeFile(hub, tenantId, 'abc')
      return sql<{ id: string }[]>`
        insert into attachments (tenant_id, work_order_id, uploaded_by, filename, content_type, size_bytes, sha256, storage_key)
        values (${tenantId}, ${id}, ${userId}, ${filename}, 'application/octet-stream', 3, ${SHA256_OF_ABC}, ${key}) returning id`
    }),
  )
  const attachmentIds = files.map(([file]) => file?.id as string)
  const steps = await Promise.all(
    [1, 2].map(
      (step) => sql<{ id: string }[]>`
        insert into work_order_instructions (tenant_id, work_order_id, step_order, title, body, attachment_id, completed_at, completed_by, created_by)
        values (${tenantId}, ${id}, ${step}, ${`Step ${step}`}, 'Do it.', ${attachmentIds[step - 1] as string}, now(), ${userId}, ${userId}) returning id`,
    ),
  )
  return { id, machineId: machine.id, attachmentIds, instructionIds: steps.map(([step]) => step?.id as string) }
}

const SHA256_OF_ABC = createHash('sha256').update('abc').digest('hex')

/** @returns the key under which the store of the hub has the bytes */
async function storeFile({ config, deps }: TestHub, tenantId: string, bytes: string): Promise<string> {
  const key = `${tenantId}/${randomUUID()}`
  const file = path.join(config.dataDir, randomUUID())
  writeFileSync(file, bytes)
  await deps.files.store.put(key, { path: file, size: bytes.length })
  return key
}
