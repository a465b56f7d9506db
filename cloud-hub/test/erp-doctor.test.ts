import { describe, expect, it } from 'vitest'
import { checkErp } from '../src/cli/doctor-erp.ts'
import { useHub } from './harness.ts'

const hub = useHub()

describe('doctor', () => {
  it('reports ERP connections that are paused, fail or are overdue, and no inactive ones', async () => {
    expect(await checkErp(hub.owner)).toEqual([{ check: 'ERP', state: 'ok', detail: 'no active connection' }])
    const admin = await hub.admin()
    const config = { base_url: 'https://erp.invalid/api', username: 'hub', password: 'secret-0001' }
    const given = { provider: 'erp_c', name: 'Plant 1', config, auto_push_downtime: true }
    const { id } = (await admin.call('POST', 'erp/connections', given)).body
    const set = (values: Record<string, unknown>) => hub.owner`update erp_connections set ${hub.owner(values)} where id = ${id}`
    const found = async () => (await checkErp(hub.owner)).map(({ state, detail }) => `${state} ${detail}`)
    expect(await found()).toEqual(['ok 1 active connection, no run failed last'])
    await set({ last_sync_status: 'failed' })
    expect(await found()).toEqual([expect.stringMatching(/^warn the last run failed: Plant 1 \(Acme\); /)])
    await set({ last_sync_status: 'partial', failures_in_a_row: 1 })
    expect(await found()).toEqual([expect.stringMatching(/^warn the last run failed: /)])
    await set({ failures_in_a_row: 0, next_run_at: new Date(Date.now() - 11 * 60_000) })
    expect(await found()).toEqual([expect.stringMatching(/^warn no automatic run although one is due: Plant 1 \(Acme\); /)])
    await set({ auto_push_downtime: false })
    expect(await found()).toEqual(['ok 1 active connection, no run failed last'])
    await set({ auto_push_downtime: true, paused_at: new Date() })
    expect(await found()).toEqual([expect.stringMatching(/^warn automatic runs are paused since a restore: Plant 1 \(Acme\); /)])
    await set({ is_active: false })
    expect(await found()).toEqual(['ok no active connection'])
    await hub.owner`insert into erp_connections (tenant_id, provider, name, masked_config, sealed_config, created_by, paused_at)
      select ${admin.tenantId}, 'erp_c', 'Plant ' || n, '{}', '', ${admin.userId}, now() from generate_series(2, 8) n`
    expect((await found())[0]).toMatch(/: Plant 2 \(Acme\), .*Plant 6 \(Acme\), 2 more; /)
  })
})
