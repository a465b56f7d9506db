import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type postgres from 'postgres'
import type { RowContext } from './row.ts'
import { makeTenant, type Tenant } from './tenant.ts'

/** What the hub confirmed. */
export interface WorkLedger {
  /** attachment id to SHA-256 */
  uploads: Map<string, string>
  /** sign-off id to its work order */
  signoffs: Map<string, string>
  /** parents of series */
  series: Set<string>
}

const UPLOAD_BYTES = 3_000_000
const PASSWORD = 'Correct-horse-7'
/** A tenant may write 120 times a minute. */
const PAUSE_MS = { uploads: 300, signoffs: 500, series: 2_000 }

/** Somebody who uploads files, somebody who signs and somebody who plans maintenance, each in a tenant of their own, all the time. */
export async function startWork(context: RowContext, url: string, owner: postgres.Sql) {
  const ledger: WorkLedger = { uploads: new Map(), signoffs: new Map(), series: new Set() }
  const stopping = new AbortController()
  context.defer(() => stopping.abort())
  const loops: Promise<void>[] = []
  const repeat = (pauseMs: number, step: (tenant: Tenant, machineId: string) => Promise<void>) => async () => {
    const tenant = await makeTenant(url, owner, { machines: 1 })
    const [machine] = await owner<{ id: string }[]>`select id from machines where tenant_id = ${tenant.tenantId}`
    const loop = async () => {
      while (!stopping.signal.aborted) {
        await step(tenant, machine?.id as string)
        await context.sleep(pauseMs)
      }
    }
    loops.push(loop())
  }
  /** null: the hub is away or busy. Any other refusal is a failure of the row. */
  const send = async (tenant: Tenant, method: string, route: string, body?: object): Promise<{ id: string } | null> => {
    const isForm = body instanceof FormData
    const headers = { authorization: `Bearer ${tenant.token}`, ...(isForm ? {} : { 'content-type': 'application/json' }) }
    try {
      const sent = isForm ? body : JSON.stringify(body)
      const answer = await fetch(`${url}/api/v1/${route}`, { method, headers, ...(body ? { body: sent } : {}) })
      if (answer.ok) return (await answer.json()) as { id: string }
      if (answer.status !== 503 && answer.status !== 429)
        context.reportFailure(`${method} ${route} was answered ${answer.status}: ${await answer.text()}`)
      await answer.body?.cancel().catch(() => {})
    } catch {}
    return null
  }
  const newOrder = (tenant: Tenant, machineId: string) =>
    send(tenant, 'POST', 'work-orders', { machine_id: machineId, title: 'Bearing' })
  let order: { id: string } | null = null

  await repeat(PAUSE_MS.uploads, async (tenant, machineId) => {
    order ??= await newOrder(tenant, machineId)
    if (!order) return
    const bytes = randomBytes(UPLOAD_BYTES)
    const form = new FormData()
    form.set('file', new File([bytes], 'photo.bin'))
    const made = await send(tenant, 'POST', `attachments?work_order_id=${order.id}`, form)
    if (made) ledger.uploads.set(made.id, createHash('sha256').update(bytes).digest('hex'))
  })()
  await repeat(PAUSE_MS.signoffs, async (tenant, machineId) => {
    const made = await newOrder(tenant, machineId)
    if (!made || !(await send(tenant, 'PATCH', `work-orders/${made.id}`, { status: 'completed' }))) return
    const signed = await send(tenant, 'POST', `work-orders/${made.id}/signoffs`, { password: PASSWORD })
    if (signed) ledger.signoffs.set(signed.id, made.id)
  })()
  await repeat(PAUSE_MS.series, async (tenant, machineId) => {
    const start = Date.now() + 3_600_000
    const times = { scheduled_start: new Date(start).toISOString(), scheduled_end: new Date(start + 3_600_000).toISOString() }
    const made = await send(tenant, 'POST', 'maintenance', {
      machine_id: machineId,
      title: 'Grease',
      ...times,
      recurrence_rule: 'daily',
    })
    if (made) ledger.series.add(made.id)
  })()
  return {
    ledger,
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

/** Takes the children of some series away, so that the next hub fills these series again. */
export const emptySeries = (owner: postgres.Sql, count: number) =>
  owner.begin(async (sql) => {
    const parents = await sql<{ id: string }[]>`
    select id from maintenance_events where next_occurrence is not null order by random() limit ${count} for update`
    const ids = parents.map(({ id }) => id)
    await sql`delete from maintenance_events where parent_event_id = any(${ids}::uuid[])`
    await sql`update maintenance_events set next_occurrence = 1, next_occurrence_at = now() where id = any(${ids}::uuid[])`
  })

/** Reports what is half done, or confirmed and not there. Nothing may write meanwhile. */
export async function checkWork(context: RowContext, owner: postgres.Sql, ledger: WorkLedger, dataDir: string): Promise<void> {
  const files = await owner<{ id: string; key: string; size: number; sha256: string }[]>`
    select id, storage_key as key, size_bytes::int as size, sha256 from attachments`
  const sums = new Map(files.map(({ id, sha256 }) => [id, sha256]))
  for (const [id, sha256] of ledger.uploads)
    if (sums.get(id) !== sha256) context.reportFailure(`the confirmed attachment ${id} is missing or has another hash`)
  for (const { id, key, size, sha256 } of files) {
    const file = path.join(dataDir, 'attachments', key)
    const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
    if (bytes.length !== size || createHash('sha256').update(bytes).digest('hex') !== sha256)
      context.reportFailure(`the attachment ${id} has a row without its whole file`)
  }
  const expected = await owner<{ key: string }[]>`
    select storage_key as key from attachments union all select storage_key from attachment_uploads
    union all select storage_key from attachment_deletions`
  const known = new Set(expected.map(({ key }) => key))
  for (const key of storedKeys(dataDir)) if (!known.has(key)) context.reportFailure(`the file ${key} belongs to nothing`)
  await checkSignoffs(context, owner, ledger)
  const [half] = await owner<{ n: number }[]>`
    select count(*)::int as n from maintenance_events p
    where p.recurrence_rule is not null and p.next_occurrence - 1 <> (
      select count(*) from maintenance_events c where c.tenant_id = p.tenant_id and c.parent_event_id = p.id)`
  if (half?.n !== 0) context.reportFailure(`${half?.n} series are half filled`)
  const stored = await owner<{ id: string }[]>`select id from maintenance_events where recurrence_rule is not null`
  const ids = new Set(stored.map(({ id }) => id))
  for (const id of ledger.series) if (!ids.has(id)) context.reportFailure(`the confirmed series ${id} is missing`)
}

async function checkSignoffs(context: RowContext, owner: postgres.Sql, ledger: WorkLedger): Promise<void> {
  const stored = await owner<{ id: string }[]>`select id from signoffs`
  const ids = new Set(stored.map(({ id }) => id))
  for (const id of ledger.signoffs.keys()) if (!ids.has(id)) context.reportFailure(`the confirmed sign-off ${id} is missing`)
  const broken = await owner`
    select 1 from signoff_chains c
    left join signoffs last on last.tenant_id = c.tenant_id and last.sequence = c.sequence
    where c.sequence <> (select count(*) from signoffs s where s.tenant_id = c.tenant_id)
      or (c.sequence > 0 and last.signature_hash is distinct from c.head_hash)`
  if (broken.length > 0) context.reportFailure('the head of a chain of sign-offs is not its last sign-off')
}

/** The keys of the files that are stored, finished or not. */
export function storedKeys(dataDir: string): string[] {
  const folder = path.join(dataDir, 'attachments')
  if (!existsSync(folder)) return []
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replace(/\.part$/, ''))
}
