import { describe, expect, it } from 'vitest'
import { MAX_CSV_ROWS } from '../src/support/http/csv.ts'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()

async function csv(user: TestUser, path: string, accept = 'text/csv') {
  const answer = await hub.app.request(
    `/api/v1/${path}`,
    { headers: { authorization: `Bearer ${user.token}`, accept } },
    { incoming: { socket: { remoteAddress: '10.8.8.8' } } },
  )
  const text = await answer.text()
  const [head = '', ...lines] = text.trimEnd().split('\r\n')
  return { status: answer.status, type: answer.headers.get('content-type'), text, columns: head.split(','), lines }
}

/** A plant with so many alerts. */
async function alerted(count: number) {
  const made = await plant(hub)
  await hub.owner`
    insert into alerts (tenant_id, machine_id, severity, metric_name, unit, trigger_value, threshold_value, message, triggered_at)
    select ${made.admin.tenantId}, ${made.machine.id}, 'warning', 'vibration', 'mm/s', 5, 4, '+SUM(A1)', now() from generate_series(1, ${count}::int)`
  return made
}

describe('a list as CSV', () => {
  it('has all alerts that match, with the fields of the JSON, and no formula', async () => {
    const { admin } = await alerted(120)
    const { columns, lines, type } = await csv(admin, 'alerts?severity=warning&page_size=2')
    const [item] = (await admin.call('GET', 'alerts?page_size=1')).body.items
    expect([type, lines.length]).toEqual(['text/csv; charset=utf-8; header=present', 120])
    expect(columns.toSorted()).toEqual(Object.keys(item).toSorted())
    expect(lines[0]?.split(',')[columns.indexOf('message')]).toBe("'+SUM(A1)")
    expect((await csv(admin, 'alerts?severity=critical')).lines).toEqual([])
    expect((await csv(admin, 'alerts', 'application/json, text/csv;q=0.5')).type).toMatch('application/json')
    expect((await csv(await hub.admin(), 'alerts')).lines).toEqual([])
  })

  it('is refused where it would have more rows than a file may have, and says how to ask for less', async () => {
    const { admin } = await alerted(MAX_CSV_ROWS)
    expect((await csv(admin, 'alerts')).lines.length).toBe(MAX_CSV_ROWS)
    const [{ id }] = (await admin.call('GET', 'machines')).body.items
    await hub.owner`
      insert into alerts (tenant_id, machine_id, severity, metric_name, unit, trigger_value, threshold_value, message, triggered_at)
      values (${admin.tenantId}, ${id}, 'info', 'vibration', 'mm/s', 5, 4, 'one more', now())`
    const refused = await csv(admin, 'alerts')
    expect([refused.status, JSON.parse(refused.text).errors[0].code]).toEqual([422, 'max_matches'])
    expect((await csv(admin, 'alerts?severity=warning')).lines.length).toBe(MAX_CSV_ROWS)
  })

  it('has the figures of each machine by column, and the sites as they are sorted', async () => {
    const { admin, machine } = await plant(hub)
    const site = await admin.call('POST', 'machine-groups', { name: 'Ulm; south', group_type: 'site', machine_ids: [machine.id] })
    await admin.call('POST', 'machine-groups', { name: 'Munich', group_type: 'site' })
    const figures = await csv(admin, 'fleet/figures?by=machine&page_size=1')
    expect(figures.columns).toEqual(
      expect.arrayContaining(['machine_id', 'name', 'figures.downtime_hours', 'figures.mttr_hours']),
    )
    expect(figures.lines.length).toBe(1)
    expect(figures.lines[0]?.split(',')[figures.columns.indexOf('machine_id')]).toBe(machine.id)
    const sites = await csv(admin, 'fleet/sites/comparison?sort_by=name')
    expect(sites.lines.map((line) => line.split(',')[1])).toEqual(['Munich', '"Ulm; south"'])
    expect(sites.lines[1]?.startsWith(site.body.id)).toBe(true)
  })
})
