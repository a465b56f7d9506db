import { beforeAll, describe, expect, it } from 'vitest'
import { TOKEN_SCOPES } from '../src/features/people/accounts/index.ts'
import { type Answer, type TestUser, useHub } from './harness.ts'

const hub = useHub()

const find = async (by: Pick<TestUser, 'call'>, q: string, more = ''): Promise<Answer['body']> => {
  const { status, body } = await by.call('GET', `search?q=${encodeURIComponent(q)}${more}`)
  expect([q, status, body.code]).toEqual([q, 200, undefined])
  return body
}
const machineNames = async (by: Pick<TestUser, 'call'>, q: string, more = '') =>
  (await find(by, q, more)).machines.map(({ name }: { name: string }) => name)
/** A program with an access token of a user. */
const program = async (of: TestUser, given: object): Promise<Pick<TestUser, 'call'>> => {
  const { body } = await of.call('POST', 'tokens', { name: 'Finder', expires_in_days: 30, ...given })
  return { call: (method, path, sent) => hub.call(method, path, sent, { authorization: `Bearer ${body.token}` }) }
}

const NAMES = ['Straßenpresse', 'Press 10', 'Press 2', 'Bench press', 'Compressor', 'Ölpumpe 100%', 'Saw_1', 'Saw 21']

describe('GET /search', () => {
  let admin: TestUser
  let operator: TestUser
  let viewer: TestUser
  let site = ''
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    admin = await hub.admin()
    operator = await hub.colleague(admin, 'operator')
    viewer = await hub.colleague(admin, 'viewer')
    for (const [i, name] of NAMES.entries())
      ids[name] = (await hub.machine(admin, { name, machine_identifier: `id-${'x'.repeat(i)}` })).id
    ids.exact = (await hub.machine(admin, { name: 'Lathe', machine_identifier: 'press' })).id
    const off = await hub.machine(admin, { name: 'Press of the past' })
    await admin.call('DELETE', `machines/${off.id}`)
    await admin.call('POST', 'alert-rules', { metric_name: 'oil_temperature', warning_threshold: 80, critical_threshold: 90 })
    const { key } = await hub.apiKey(admin)
    const { body } = await admin.call('GET', `machines/${ids['Press 10']}`)
    await hub.send(key, [{ machine: body.machine_identifier, metric: 'oil_temperature', value: 95 }])
    const [alert] = (await admin.call('GET', 'alerts')).body.items
    ids.alert = alert.id
    for (const [title, machine] of [
      ['Replace the bearing', 'Press 2'],
      ['Grease the bearing', 'Saw 21'],
    ] as const)
      ids[title] = (await admin.call('POST', 'work-orders', { machine_id: ids[machine], title })).body.id
    const sent = { machine_id: ids['Press 10'], alert_id: ids.alert, title: alert.message }
    ids.ofAlert = (await admin.call('POST', 'work-orders', sent)).body.id
    site = (await admin.call('POST', 'machine-groups', { name: 'Bremen', group_type: 'site' })).body.id
    await admin.call('PUT', `machine-groups/${site}/members`, { machine_ids: [ids['Press 2']] })
    await hub.owner`
      insert into agents (tenant_id, agent_id, agent_version, last_seen, hostname, group_id, retired_at)
      select ${admin.tenantId}::uuid, id, '1', now(), 'edge-of-' || id, case when id = 'press-box' then ${site}::uuid end, case when id = 'press-old' then now() end
      from unnest('{press-box,press-spare,press-old}'::text[]) id`
  })

  it('answers exact names first, then what begins so, then words that do, then the rest, numbers by value', async () => {
    expect(await machineNames(admin, 'PRESS', '&limit=20')).toEqual([
      'Lathe',
      'Press 2',
      'Press 10',
      'Bench press',
      'Compressor',
      'Straßenpresse',
    ])
  })

  it('needs every word in any order, whatever its case, and takes ß as ss', async () => {
    expect(await machineNames(admin, '10 press')).toEqual(['Press 10'])
    expect(await machineNames(admin, 'press 3')).toEqual([])
    expect(await machineNames(admin, 'STRASSEN')).toEqual(['Straßenpresse'])
    expect(await machineNames(admin, 'öLPUMPE')).toEqual(['Ölpumpe 100%'])
  })

  it('takes wildcards and backslashes as they are', async () => {
    expect(await machineNames(admin, '%')).toEqual(['Ölpumpe 100%'])
    expect(await machineNames(admin, 'saw_')).toEqual(['Saw_1'])
    expect(await machineNames(admin, '\\')).toEqual([])
  })

  it('finds alerts by machine and by the metric in both languages', async () => {
    for (const q of ['press 10 öltemp', 'oil temperature', 'oil_temp']) {
      const { alerts } = await find(admin, q)
      expect([q, alerts.map(({ id }: { id: string }) => id)]).toEqual([q, [ids.alert]])
      expect(alerts[0]).toMatchObject({ machine_name: 'Press 10', severity: 'critical', is_acknowledged: false })
    }
  })

  it('finds work orders by title, machine, and the metric of their alert; what is completed comes last', async () => {
    const found = async (q: string) => (await find(admin, q)).work_orders.map(({ id }: { id: string }) => id)
    expect(await found('bearing saw')).toEqual([ids['Grease the bearing']])
    expect(await found('öltemp')).toEqual([ids.ofAlert])
    expect((await find(admin, 'öltemp')).work_orders[0].title_facts.metric_name).toBe('oil_temperature')
    expect(await found('bearing')).toEqual([ids['Grease the bearing'], ids['Replace the bearing']])
    await admin.call('PATCH', `work-orders/${ids['Grease the bearing']}`, { status: 'in_progress' })
    await admin.call('PATCH', `work-orders/${ids['Grease the bearing']}`, { status: 'completed' })
    expect(await found('bearing')).toEqual([ids['Replace the bearing'], ids['Grease the bearing']])
  })

  it('answers agents and people to admins only, and says among what it looked', async () => {
    const { agents, people, searched } = await find(admin, 'press')
    expect(searched).toEqual(['machines', 'alerts', 'work_orders', 'agents', 'people'])
    expect(agents.map((it: { agent_id: string }) => it.agent_id)).toEqual(['press-box', 'press-spare'])
    expect(agents[0]).toMatchObject({ hostname: 'edge-of-press-box', group_name: 'Bremen' })
    expect(people).toEqual([])
    expect((await find(admin, 'example.com')).people.map(({ id }: { id: string }) => id).sort()).toEqual(
      [admin, operator, viewer].map(({ userId }) => userId).sort(),
    )
    for (const one of [operator, viewer]) {
      const answer = await find(one, 'example.com')
      expect(answer.searched).toEqual(['machines', 'alerts', 'work_orders'])
      expect([answer.people, (await find(one, 'press')).agents]).toEqual([[], []])
    }
  })

  it('answers at most `limit` of each kind, 5 without it', async () => {
    expect(await machineNames(admin, 'press')).toHaveLength(5)
    expect(await machineNames(admin, 'press', '&limit=1')).toEqual(['Lathe'])
    const status = async (query: string) => (await admin.call('GET', `search?${query}`)).status
    expect(await status('q=a&limit=20')).toBe(200)
    expect(await status('q=a&limit=21')).toBe(422)
    expect(await status('q=a&limit=0')).toBe(422)
  })

  it('refuses no text and more than 100 characters; blanks find nothing', async () => {
    const status = async (q: string) => (await admin.call('GET', `search?q=${q}`)).status
    expect([await status(''), await status('a'.repeat(101)), await status('a'.repeat(100))]).toEqual([422, 422, 200])
    expect((await admin.call('GET', 'search')).status).toBe(422)
    expect(await machineNames(admin, '  ')).toEqual([])
  })

  it('narrows to a site', async () => {
    const { machines, alerts, work_orders, agents } = await find(admin, 'press', `&group_id=${site}`)
    expect(machines.map(({ name }: { name: string }) => name)).toEqual(['Press 2'])
    expect([alerts, work_orders.length]).toEqual([[], 1])
    expect(agents.map((it: { agent_id: string }) => it.agent_id)).toEqual(['press-box'])
  })

  it('never finds what another tenant has', async () => {
    const stranger = await hub.admin()
    for (const q of ['press', 'bearing', 'oil', 'example.com'])
      for (const [kind, found] of Object.entries(await find(stranger, q)))
        if (kind !== 'searched')
          expect([q, kind, (found as unknown[]).length]).toEqual([q, kind, q === 'example.com' && kind === 'people' ? 1 : 0])
    expect(await machineNames(stranger, 'press', `&group_id=${site}`)).toEqual([])
  })

  it('looks for a token only among what its scopes and the role of its owner allow', async () => {
    const searched = async (of: TestUser, scopes: readonly string[]) =>
      (await find(await program(of, { scopes }), 'press')).searched
    expect(await searched(admin, ['work:read'])).toEqual(['work_orders'])
    expect(await searched(admin, ['agents:read', 'team:read'])).toEqual(['agents', 'people'])
    expect(await searched(viewer, ['agents:read', 'alerts:read'])).toEqual(['alerts'])
    expect(await searched(admin, ['machines:write'])).toEqual([])
  })

  it('keeps a token of a group within it, without people', async () => {
    const its = await program(admin, { scopes: TOKEN_SCOPES, group_ids: [site] })
    const { machines, alerts, people, searched } = await find(its, 'press')
    expect(machines.map(({ name }: { name: string }) => name)).toEqual(['Press 2'])
    expect([alerts, people, searched]).toEqual([[], [], ['machines', 'alerts', 'work_orders', 'agents']])
    expect((await find(its, 'example.com')).people).toEqual([])
  })
})
