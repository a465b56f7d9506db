import { describe, expect, it } from 'vitest'
import { useHub } from './harness.ts'

const hub = useHub()
const jam = { code: 'jam', label: 'Jam', category: 'unplanned', oee_loss_category: 'availability_loss' }
interface Node {
  id: string
  code: string
  children: Node[]
}

describe('reason codes', () => {
  it('a new tenant has the default codes, as a list by sort order and as a tree', async () => {
    const admin = await hub.admin()
    const viewer = await hub.colleague(admin, 'viewer')
    const { body: list } = await viewer.call('GET', 'reason-codes')
    expect(list).toHaveLength(28)
    expect(list.map((row: { sort_order: number }) => row.sort_order)).toEqual(
      list.map((row: { sort_order: number }) => row.sort_order).toSorted((a: number, b: number) => a - b),
    )
    const { body: tree } = await viewer.call('GET', 'reason-codes/tree')
    expect(tree.map(({ code, children }: Node) => [code, children.length])).toEqual([
      ['planned', 3],
      ['maintenance', 3],
      ['changeover', 3],
      ['breakdown', 4],
      ['waiting', 4],
      ['performance', 2],
      ['quality', 2],
    ])
    const { items } = (await admin.call('GET', 'audit-log?page_size=100')).body
    expect(items.filter(({ action }: { action: string }) => action.startsWith('reason_code'))).toEqual([])
  })

  it('a tenant from before the reason codes gets the defaults when the functions apply, and keeps its own', async () => {
    const [old, present] = [await hub.admin(), await hub.admin()]
    await hub.owner`update reason_codes set parent_id = null where tenant_id = ${old.tenantId}`
    await hub.owner`delete from reason_codes where tenant_id = ${old.tenantId}`
    await hub.owner`delete from reason_codes where tenant_id = ${present.tenantId} and code like 'quality.%'`
    const { readFileSync } = await import('node:fs')
    const file = new URL('../migrations/functions/make_reason_codes.sql', import.meta.url)
    await hub.owner.unsafe(readFileSync(file, 'utf8'))
    expect((await old.call('GET', 'reason-codes')).body).toHaveLength(28)
    expect((await present.call('GET', 'reason-codes')).body).toHaveLength(26)
  })

  it('an admin creates, changes and retires a code, and the audit log notes it', async () => {
    const admin = await hub.admin()
    const { status, body } = await admin.call('POST', 'reason-codes', jam)
    expect([status, body]).toEqual([
      201,
      {
        version: expect.any(String),
        id: expect.any(String),
        ...jam,
        description: null,
        parent_id: null,
        is_active: true,
        sort_order: 0,
        created_at: expect.any(String),
      },
    ])
    const changed = await admin.call('PUT', `reason-codes/${body.id}`, { label: 'Jam at the infeed', is_active: false })
    expect(changed.body).toEqual({ ...body, label: 'Jam at the infeed', is_active: false, version: expect.any(String) })
    const codes = async (query: string) =>
      (await admin.call('GET', `reason-codes${query}`)).body.map(({ code }: { code: string }) => code)
    expect(await codes('')).not.toContain('jam')
    expect(await codes('?active_only=false')).toContain('jam')
    expect((await admin.call('PUT', `reason-codes/${body.id}`, {})).body).toEqual(changed.body)
    const described = (description: string | null) => admin.call('PUT', `reason-codes/${body.id}`, { description })
    expect((await described('at the infeed')).body.description).toBe('at the infeed')
    expect((await described('')).body.description).toBeNull()
    const { items } = (await admin.call('GET', `audit-log?target_id=${body.id}`)).body
    expect(items.map(({ action }: { action: string }) => action)).toEqual([
      'reason_code.updated',
      'reason_code.updated',
      'reason_code.updated',
      'reason_code.created',
    ])
  })

  it('a code is unique in its tenant; of two created at once one is', async () => {
    const [admin, other] = [await hub.admin(), await hub.admin()]
    const answers = await Promise.all([jam, jam].map((body) => admin.call('POST', 'reason-codes', body)))
    expect(answers.map(({ status, body }) => body.code ?? status).toSorted()).toEqual(['jam', 'reason_code_taken'])
    expect((await other.call('POST', 'reason-codes', jam)).status).toBe(201)
    const second = (await admin.call('POST', 'reason-codes', { ...jam, code: 'jam2' })).body
    expect((await admin.call('PUT', `reason-codes/${second.id}`, { code: 'jam' })).body.code).toBe('reason_code_taken')
  })

  it('the tree has no cycle, also when two admins move codes at once', async () => {
    const admin = await hub.admin()
    const make = async (code: string, parent_id: string | null) =>
      (await admin.call('POST', 'reason-codes', { ...jam, code, parent_id })).body.id
    const a = await make('a', null)
    const b = await make('b', a)
    for (const parent_id of [a, b])
      expect((await admin.call('PUT', `reason-codes/${a}`, { parent_id })).body.code).toBe('reason_code_cycle')
    await admin.call('PUT', `reason-codes/${b}`, { parent_id: null })
    const moves = await Promise.all([
      admin.call('PUT', `reason-codes/${a}`, { parent_id: b }),
      admin.call('PUT', `reason-codes/${b}`, { parent_id: a }),
    ])
    expect(moves.map(({ status }) => status).toSorted()).toEqual([200, 422])
  })

  it('an active code below an inactive one is a root of the active tree', async () => {
    const admin = await hub.admin()
    const a = (await admin.call('POST', 'reason-codes', { ...jam, code: 'a' })).body.id
    await admin.call('POST', 'reason-codes', { ...jam, code: 'b', parent_id: a })
    await admin.call('PUT', `reason-codes/${a}`, { is_active: false })
    const roots = async (query: string) =>
      (await admin.call('GET', `reason-codes/tree${query}`)).body.map(({ code }: Node) => code)
    expect(await roots('')).toContain('b')
    expect(await roots('?active_only=false')).not.toContain('b')
    expect(await roots('?active_only=false')).toContain('a')
  })

  it("a parent that is unknown or another tenant's is refused with 404", async () => {
    const [admin, other] = [await hub.admin(), await hub.admin()]
    const theirs = (await other.call('GET', 'reason-codes')).body[0].id
    for (const parent_id of [theirs, '0198c7d4-5a00-7000-8000-0000f5a48bee'])
      expect((await admin.call('POST', 'reason-codes', { ...jam, parent_id })).body.code).toBe('reason_code_not_found')
  })

  it.each([
    { code: '' },
    { code: 'x'.repeat(51) },
    { label: '' },
    { label: 'x'.repeat(201) },
    { category: 'other' },
    { oee_loss_category: 'speed_loss' },
    { description: 'x'.repeat(10_001) },
    { sort_order: 1.5 },
    { sort_order: 1_000_001 },
    { parent_id: 'none' },
  ])('%j is refused', async (values) => {
    expect((await (await hub.admin()).call('POST', 'reason-codes', { ...jam, ...values })).status).toBe(422)
  })

  it('values at the limits are accepted', async () => {
    const values = { code: 'x'.repeat(50), label: 'x'.repeat(200), description: 'x'.repeat(10_000), sort_order: -1_000_000 }
    expect((await (await hub.admin()).call('POST', 'reason-codes', { ...jam, ...values })).status).toBe(201)
  })

  it('the 1,001st code of a tenant is refused', async () => {
    const admin = await hub.admin()
    await hub.owner`insert into reason_codes (tenant_id, code, label, category, oee_loss_category)
      select ${admin.tenantId}, n::text, n::text, 'planned', 'not_scheduled' from generate_series(1, 971) n`
    const answers = await Promise.all(['a', 'b'].map((code) => admin.call('POST', 'reason-codes', { ...jam, code })))
    expect(answers.map(({ body }) => body.code).toSorted()).toEqual([expect.stringMatching(/^[ab]$/), 'too_many_reason_codes'])
  })
})
