import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { plant, type TestUser, useHub } from './harness.ts'
import { evenly, storeReadings } from './support/stored-readings.ts'

const hub = useHub()
const MINUTE = 60_000
const names = (answer: { body: { machine_id: string; metric_name: string; unit: string }[] }) =>
  answer.body.map(({ machine_id, metric_name, unit }) => [machine_id, metric_name, unit])

/** Two machines; readings of the last half hour of the first, and of a metric with a comma and two units of the second. */
async function twoMachines() {
  const { admin, key, machine } = await plant(hub)
  const oven = await hub.machine(admin, { name: 'Oven' })
  const end = Math.floor(hub.clock.now().getTime() / MINUTE) * MINUTE
  const steps = evenly(end - 30 * MINUTE, end, MINUTE, (i) => i)
  await storeReadings(hub.owner, [
    { machineId: machine.id, metric: 'temperature', unit: 'celsius', ...steps },
    { machineId: machine.id, metric: 'noise', unit: 'decibel', ...steps },
    { machineId: oven.id, metric: 'heat, upper', unit: 'celsius', ...steps },
    { machineId: oven.id, metric: 'heat, upper', unit: 'fahrenheit', ...steps },
  ])
  const get = (series: readonly string[], more = '', by: TestUser = admin) =>
    by.call('GET', `readings/series?${[...series.map((one) => `series=${encodeURIComponent(one)}`), more].join('&')}`)
  return { admin, key, machine, oven, get, end }
}

describe('GET /readings/series', () => {
  it('answers the series of several machines in the order of the request, as the reads of each machine do', async () => {
    const { admin, machine, oven, get } = await twoMachines()
    for (const more of ['', 'interval=5m']) {
      const answer = await get([`${oven.id}:heat, upper`, `${machine.id}:temperature`], more)
      expect([answer.status, names(answer)]).toEqual([
        200,
        [
          [oven.id, 'heat, upper', 'celsius'],
          [oven.id, 'heat, upper', 'fahrenheit'],
          [machine.id, 'temperature', 'celsius'],
        ],
      ])
      const single = await admin.call('GET', `machines/${machine.id}/readings?metric=temperature&${more}`)
      expect(answer.body.at(-1)).toEqual({ machine_id: machine.id, ...single.body[0] })
      expect(answer.body[0].data_points).toHaveLength(single.body[0].data_points.length)
    }
  })

  it('takes series with commas between them, answers one that is named twice once, and nothing of unknown metrics', async () => {
    const { machine, oven, get } = await twoMachines()
    const listed = await get([
      `${machine.id}:noise,${oven.id.toUpperCase()}:heat, upper`,
      `${machine.id}:noise`,
      `${oven.id}:none`,
    ])
    expect(names(listed)).toEqual([
      [machine.id, 'noise', 'decibel'],
      [oven.id, 'heat, upper', 'celsius'],
      [oven.id, 'heat, upper', 'fahrenheit'],
    ])
    expect((await get([`${oven.id}:none`])).body).toEqual([])
  })

  it('refuses what names no series, and more than 8, and names the fault', async () => {
    const { machine, get } = await twoMachines()
    const series = (n: number) => Array.from({ length: n }, (_, i) => `${machine.id}:metric ${i}`)
    expect((await get(series(8))).status).toBe(200)
    const faults = async (given: string[], more = '') => {
      const { status, body } = await get(given, more)
      return [status, body.errors?.map((error: { path: string }) => error.path)]
    }
    expect(await faults(series(9))).toEqual([422, ['query.series']])
    expect(await faults([])).toEqual([422, ['query.series']])
    expect(await faults([`${machine.id}:noise`, 'noise:x'])).toEqual([200, undefined])
    expect(await faults(['noise'])).toEqual([422, ['query.series.0']])
    expect(await faults([`${machine.id}:`])).toEqual([422, ['query.series.0']])
    expect(await faults([`${machine.id}:${'x'.repeat(256)}`])).toEqual([422, ['query.series.0']])
    expect((await get([`${machine.id}:${'x'.repeat(255)}`])).status).toBe(200)
    expect(await faults(series(1), 'start=2026-01-01&end=2026-04-01T00:00:00.001Z')).toEqual([422, ['query.start']])
  })

  it('answers a machine that the tenant does not have with its id', async () => {
    const { machine, get } = await twoMachines()
    const stranger = await hub.admin()
    for (const [id, by] of [
      [randomUUID(), undefined],
      [machine.id, stranger],
    ] as const) {
      const { status, body } = await get([`${id}:noise`], '', by)
      expect([status, body.code, body.detail]).toEqual([404, 'machine_not_found', expect.stringContaining(id)])
    }
  })

  it('takes at most 100,000 points of all series together, and names interval', async () => {
    const { machine, oven, get, end } = await twoMachines()
    const many = (n: number) => evenly(end - 40 * MINUTE - n * 10, end - 40 * MINUTE, 10, (i) => i)
    await storeReadings(hub.owner, [
      { machineId: machine.id, metric: 'pressure', unit: 'bar', ...many(50_000) },
      { machineId: oven.id, metric: 'pressure', unit: 'bar', ...many(50_000) },
      { machineId: oven.id, metric: 'speed', unit: 'rpm', ...many(1) },
    ])
    const both = [`${machine.id}:pressure`, `${oven.id}:pressure`]
    const whole = await get(both)
    expect(whole.body.map((one: { data_points: unknown[] }) => one.data_points.length)).toEqual([50_000, 50_000])
    const refused = await get([...both, `${oven.id}:speed`])
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: 'query.interval', code: 'too_many_points' }] } })
    expect((await get([...both, `${oven.id}:speed`], 'interval=1m')).status).toBe(200)
  })

  it('gives an access token for some groups the series of their machines only', async () => {
    const { admin, machine, oven } = await twoMachines()
    const line = await admin.call('POST', 'machine-groups', { name: 'Line', machine_ids: [machine.id] })
    const token = { name: 'x', scopes: ['readings:read'], expires_in_days: 30, group_ids: [line.body.id] }
    const made = await admin.call('POST', 'tokens', token)
    const status = async (...series: string[]) => {
      const path = `readings/series?series=${series.join('&series=')}`
      return (await hub.call('GET', path, undefined, { authorization: `Bearer ${made.body.token}` })).status
    }
    expect(await status(`${machine.id}:noise`)).toBe(200)
    expect(await status(`${machine.id}:noise`, `${oven.id}:noise`)).toBe(403)
    expect(await status(`${oven.id}:noise`)).toBe(403)
  })
})
