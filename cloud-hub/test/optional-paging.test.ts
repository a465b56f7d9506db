import { expect, it } from 'vitest'
import { useHub } from './harness.ts'

const hub = useHub()

it.each([
  ['machines/predictions/fleet', 'predictions'],
  ['fleet/mttr-mtbf', 'machines'],
  ['shifts/active', null],
  ['agent/fleet', 'agents'],
  ['maintenance', null],
])('%s is whole by default, and a page with page or page_size', async (path, key) => {
  const admin = await hub.admin()
  const apiKey = (await hub.apiKey(admin)).key
  const shift = { name: 'Early', start_time: '06:00', end_time: '14:00' }
  const { id: shift_definition_id } = (await admin.call('POST', 'shifts/definitions', shift)).body
  for (let i = 0; i < 3; i++) {
    const { id: machine_id } = await hub.machine(admin)
    const log = { machine_id, shift_definition_id, shift_date: '2026-01-30', actual_start: '2026-01-30T06:00:00Z' }
    expect((await admin.call('POST', 'shifts/logs', log)).status).toBe(201)
    const oil = {
      machine_id,
      title: 'Oil',
      scheduled_start: `2026-02-0${i + 1}T06:00:00Z`,
      scheduled_end: '2026-02-04T08:00:00Z',
    }
    expect((await admin.call('POST', 'maintenance', oil)).status).toBe(201)
    const beat = { agent_id: `line-${i}`, agent_version: '1.0.0', status: 'ok', buffer_depth: 0 }
    await hub.call('POST', '/api/v1/agent/heartbeat', beat, { 'x-api-key': apiKey })
  }
  const get = async (query: string) => {
    const { status, body, headers } = await admin.call('GET', `${path}${query}`)
    return { status, body, list: key ? body[key] : body, total: headers.get('x-total-count') }
  }
  const whole = await get('')
  expect([whole.list.length, whole.total]).toEqual([3, null])
  const ids = (list: Record<string, unknown>[]) => list.map((one) => one.id ?? one.machine_id ?? one.agent_id)
  const pages = [await get('?page_size=2'), await get('?page=2&page_size=2'), await get('?page=3&page_size=2')]
  expect(pages.map(({ total }) => total)).toEqual(['3', '3', '3'])
  expect(pages.map(({ list }) => list.length)).toEqual([2, 1, 0])
  expect(pages.flatMap(({ list }) => ids(list))).toEqual(ids(whole.list))
  if (key) expect({ ...pages[2]?.body, [key]: whole.list }).toEqual(whole.body)
  expect([(await get('?page=1')).list.length, (await get('?page_size=1')).list.length]).toEqual([3, 1])
  for (const query of ['?page_size=100', '?page=999999999']) expect([query, (await get(query)).status]).toEqual([query, 200])
  for (const query of ['?page_size=101', '?page_size=0', '?page=0', '?page=1000000000'])
    expect([query, (await get(query)).status]).toEqual([query, 422])
})
