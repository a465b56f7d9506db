import { describe, expect, it } from 'vitest'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()

/** A plant with two machines, and two rules of which `noise` is one of the first machine. */
async function groupedPlant() {
  const { admin, key, machine } = await plant(hub)
  const second = await hub.machine(admin, { name: 'Press 2' })
  const rule = async (values: object) => (await admin.call('POST', 'alert-rules', values)).body.id as string
  const warm = await rule({ metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
  const loud = await rule({ metric_name: 'noise', machine_id: machine.id, warning_threshold: 5, critical_threshold: 9 })
  /** alerts that were raised so many minutes ago */
  const raise = (machineId: string, ruleId: string | null, severity: string, ago: number[], metric = 'temperature') => hub.owner`
    insert into alerts (tenant_id, machine_id, rule_id, severity, metric_name, unit, trigger_value, threshold_value, message, comparison, triggered_at, created_at)
    select ${admin.tenantId}, ${machineId}, ${ruleId}::uuid, ${severity}, ${metric}, 'x', 5, 4, 'high', '>', s.at, s.at
    from unnest(${ago}::int[]) n cross join lateral (select date_trunc('minute', ${hub.clock.now()}::timestamptz) - n * interval '1 minute' as at) s`
  return { admin, key, machine, second, warm, loud, raise }
}
// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
const groupsOf = async (user: TestUser, query = ''): Promise<any[]> =>
  (await user.call('GET', `alerts/groups${query}`)).body.items

describe('GET /alerts/groups', () => {
  it('counts the alerts of each machine and rule, with the newest and the highest severity, the last first', async () => {
    const { admin, machine, second, warm, loud, raise } = await groupedPlant()
    await raise(machine.id, warm, 'warning', [50, 40, 30])
    await raise(machine.id, warm, 'critical', [45])
    await raise(second.id, warm, 'info', [20])
    await raise(machine.id, loud, 'warning', [10], 'noise')
    const listed = (await admin.call('GET', `alerts?rule_id=${warm}&machine_id=${machine.id}`)).body.items
    await admin.call('POST', `alerts/${listed[3].id}/acknowledge`)
    const groups = await groupsOf(admin)
    expect(
      groups.map((it) => [it.machine_name, it.metric_name, it.severity, it.alert_count, it.open_count, it.acknowledged_count]),
    ).toEqual([
      ['Press 1', 'noise', 'warning', 1, 1, 0],
      ['Press 2', 'temperature', 'info', 1, 1, 0],
      ['Press 1', 'temperature', 'critical', 4, 3, 1],
    ])
    expect(groups[2]).toMatchObject({
      machine_id: machine.id,
      rule_id: warm,
      rule_kind: 'threshold',
      rule_name: null,
      newest_alert_id: listed[0].id,
      first_raised_at: listed[3].created_at,
      last_raised_at: listed[0].created_at,
    })
    const open = await groupsOf(admin, '?is_acknowledged=false')
    expect(open[2]).toMatchObject({ alert_count: 3, open_count: 3, first_raised_at: listed[2].created_at })
    expect(await groupsOf(admin, '?is_acknowledged=true')).toMatchObject([{ alert_count: 1, newest_alert_id: listed[3].id }])
  })

  it('narrows by every filter of GET /alerts', async () => {
    const { admin, machine, second, warm, loud, raise } = await groupedPlant()
    await raise(machine.id, warm, 'warning', [3_000, 10])
    await raise(second.id, warm, 'critical', [20])
    await raise(machine.id, loud, 'warning', [30], 'noise')
    const counts = async (query: string) => (await groupsOf(admin, `?${query}`)).map((it) => [it.machine_name, it.alert_count])
    expect(await counts(`machine_id=${second.id}`)).toEqual([['Press 2', 1]])
    expect(await counts(`rule_id=${loud}`)).toEqual([['Press 1', 1]])
    expect(await counts('severity=critical')).toEqual([['Press 2', 1]])
    const dayAgo = new Date(hub.clock.now().getTime() - 86_400_000).toISOString()
    expect(await counts(`start_date=${dayAgo}&rule_id=${warm}&machine_id=${machine.id}`)).toEqual([['Press 1', 1]])
    expect(await counts(`end_date=${dayAgo}`)).toEqual([['Press 1', 1]])
    for (const query of ['start_date=2026-02-01&end_date=2026-01-01', 'rule_id=x', 'sort_by=name', 'page_size=101'])
      expect([query, (await admin.call('GET', `alerts/groups?${query}`)).status]).toEqual([query, 422])
  })

  it('is paged and sorted, and counts the groups on a page beyond the end too', async () => {
    const { admin, machine, second, warm, loud, raise } = await groupedPlant()
    await raise(machine.id, warm, 'warning', [30, 31, 32])
    await raise(second.id, warm, 'critical', [20])
    await raise(machine.id, loud, 'info', [10, 11], 'noise')
    const page = async (query: string) => (await admin.call('GET', `alerts/groups?${query}`)).body
    const counts = async (query: string) => (await page(query)).items.map((it: { alert_count: number }) => it.alert_count)
    expect(await counts('sort_by=alert_count')).toEqual([3, 2, 1])
    expect(await counts('sort_by=alert_count&sort_dir=asc')).toEqual([1, 2, 3])
    expect(await counts('sort_by=severity')).toEqual([1, 3, 2])
    expect(await counts('page_size=2&page=2')).toEqual([3])
    expect(await page('page_size=2&page=3')).toEqual({
      items: [],
      pagination: { total: 3, page: 3, page_size: 2 },
      is_complete: true,
    })
    expect((await page('severity=critical&page=2')).pagination.total).toBe(1)
    expect(await page('rule_id=00000000-0000-4000-8000-000000000000')).toMatchObject({ items: [], pagination: { total: 0 } })
  })

  it('keeps the group of a rule that was deleted', async () => {
    const { admin, machine, warm, raise } = await groupedPlant()
    await raise(machine.id, warm, 'warning', [30])
    await admin.call('DELETE', `alert-rules/${warm}`)
    expect(await groupsOf(admin, `?rule_id=${warm}`)).toMatchObject([
      { rule_id: warm, metric_name: 'temperature', alert_count: 1 },
    ])
  })

  it('is acknowledged as a whole by its filter, and no other group with it', async () => {
    const { admin, machine, second, warm, loud, raise } = await groupedPlant()
    await raise(machine.id, warm, 'warning', [30, 31])
    await raise(second.id, warm, 'warning', [20])
    await raise(machine.id, loud, 'warning', [10], 'noise')
    const filter = { machine_id: machine.id, rule_id: warm, created_before: hub.clock.now().toISOString() }
    expect((await admin.call('POST', 'alerts/bulk/acknowledge', { filter })).body.acknowledged_count).toBe(2)
    expect((await groupsOf(admin, '?is_acknowledged=false')).map((it) => [it.machine_id, it.rule_id])).toEqual([
      [machine.id, loud],
      [second.id, warm],
    ])
  })

  it('shows nothing of another tenant', async () => {
    const { admin, machine, warm, raise } = await groupedPlant()
    await raise(machine.id, warm, 'warning', [30])
    const stranger = await hub.admin()
    for (const query of ['', `?machine_id=${machine.id}`, `?rule_id=${warm}`]) expect(await groupsOf(stranger, query)).toEqual([])
    expect(await groupsOf(admin)).toHaveLength(1)
  })

  it('says that it is not complete where more than 100,000 alerts match, and counts the newest of them', async () => {
    const { admin, machine, second, warm } = await groupedPlant()
    const insert = (machineId: string, count: number, from: number) => hub.owner`
      insert into alerts (tenant_id, machine_id, rule_id, severity, metric_name, unit, trigger_value, threshold_value, message, triggered_at, created_at)
      select ${admin.tenantId}, ${machineId}, ${warm}, 'warning', 'temperature', 'x', 5, 4, 'high', s.at, s.at
      from generate_series(1, ${count}::int) n cross join lateral (select now() - (${from}::int + n) * interval '1 second' as at) s`
    await insert(machine.id, 99_999, 0)
    const page = async () => (await admin.call('GET', 'alerts/groups')).body
    expect(await page()).toMatchObject({ items: [{ alert_count: 99_999 }], is_complete: true })
    await insert(second.id, 1, 200_000)
    expect(await page()).toMatchObject({ items: [{ alert_count: 99_999 }, { alert_count: 1 }], is_complete: true })
    await insert(second.id, 2, 300_000)
    expect(await page()).toMatchObject({ items: [{ alert_count: 99_999 }, { alert_count: 2 }], is_complete: false })
  })
})
