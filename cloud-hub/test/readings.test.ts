import { describe, expect, it } from 'vitest'
import { plant, type TestUser, useHub } from './harness.ts'
import { evenly, storeReadings } from './support/stored-readings.ts'

const hub = useHub()
const HOUR = 3_600_000

const get = (admin: TestUser, machineId: string, query: Record<string, string> = {}) =>
  admin.call('GET', `machines/${machineId}/readings?${new URLSearchParams(query)}`)

describe('GET /machines/{machine_id}/readings', () => {
  it('answers the last 24 hours, ascending, by metric and unit, when nothing is asked', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    await hub.send(key, [
      { machine: identifier, value: 3, ago: 60 },
      { machine: identifier, value: 1, ago: 23 * 3600 },
      { machine: identifier, value: 9, ago: 25 * 3600 },
      { machine: identifier, value: 2, ago: 7200, metric: 'pressure', unit: 'bar' },
    ])
    const { body } = await get(admin, machine.id)
    expect(body.map((s: { metric_name: string; unit: string }) => [s.metric_name, s.unit])).toEqual([
      ['pressure', 'bar'],
      ['temperature', 'celsius'],
    ])
    expect(body[1].data_points.map((p: { value: number }) => p.value)).toEqual([1, 3])
  })

  it('takes start and end inclusively, a date-only end with its whole day, and one metric', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const at = (text: string) => new Date(text)
    await hub.send(key, [
      { machine: identifier, value: 1, at: at('2026-05-01T00:00:00.000Z') },
      { machine: identifier, value: 2, at: at('2026-05-02T23:59:59.999Z') },
      { machine: identifier, value: 3, at: at('2026-05-03T00:00:00.000Z') },
      { machine: identifier, value: 4, at: at('2026-05-02T12:00:00Z'), metric: 'pressure', unit: 'bar' },
    ])
    const values = (body: { metric_name: string; data_points: { value: number }[] }[]) =>
      body.map((s) => [s.metric_name, ...s.data_points.map((p) => p.value)])
    expect(values((await get(admin, machine.id, { start: '2026-05-01', end: '2026-05-02' })).body)).toEqual([
      ['pressure', 4],
      ['temperature', 1, 2],
    ])
    expect(
      values((await get(admin, machine.id, { start: '2026-05-01', end: '2026-05-03T00:00:00Z', metric: 'temperature' })).body),
    ).toEqual([['temperature', 1, 2, 3]])
    expect(values((await get(admin, machine.id, { end: '2026-05-01T02:00:00+02:00' })).body)).toEqual([['temperature', 1]])
    expect((await get(admin, machine.id, { metric: 'nothing' })).body).toEqual([])
  })

  it.each([
    ['1m', ['12:00', 1.5], ['12:01', 4]],
    ['5m', ['12:00', 7 / 3]],
    ['15m', ['12:00', 7 / 3]],
    ['1h', ['12:00', 7 / 3]],
    ['6h', ['12:00', 7 / 3]],
    ['1d', ['00:00', 7 / 3]],
  ] as [string, ...[string, number][]][])(
    'averages by %s on the UTC grid; empty buckets are absent',
    async (interval, ...expected) => {
      const { admin, key, machine, identifier } = await plant(hub)
      const day = new Date(Date.now() - 48 * HOUR).toISOString().slice(0, 10)
      const at = (time: string) => new Date(`${day}T${time}Z`)
      await hub.send(key, [
        { machine: identifier, value: 1, at: at('12:00:00') },
        { machine: identifier, value: 2, at: at('12:00:59.999') },
        { machine: identifier, value: 4, at: at('12:01:00') },
      ])
      const { body } = await get(admin, machine.id, { start: `${day}T11:59:00Z`, end: `${day}T13:00:00Z`, interval })
      expect(body[0].data_points.map((p: { timestamp: string; value: number }) => [p.timestamp.slice(11, 16), p.value])).toEqual(
        expected,
      )
    },
  )

  it('counts only readings inside the range; the bucket may begin before it', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const day = new Date(Date.now() - 48 * HOUR).toISOString().slice(0, 10)
    await hub.send(key, [
      { machine: identifier, value: 1, at: new Date(`${day}T12:10:00Z`) },
      { machine: identifier, value: 5, at: new Date(`${day}T12:40:00Z`) },
    ])
    const { body } = await get(admin, machine.id, { start: `${day}T12:30:00Z`, end: `${day}T13:00:00Z`, interval: '1h' })
    expect(body[0].data_points).toEqual([{ timestamp: `${day}T12:00:00.000Z`, value: 5 }])
  })

  it.each([
    [{ start: '2026-01-01', end: '2026-04-01T00:00:00Z' }, 200],
    [{ start: '2026-01-01', end: '2026-04-01T00:00:00.001Z' }, 422],
    [{ start: '2026-01-02', end: '2026-01-01T00:00:00Z' }, 422],
    [{ start: '2026-01-01T00:00:00Z', end: '2026-01-01T00:00:00Z' }, 422],
    [{ start: 'yesterday' }, 422],
    [{ start: '2026-02-30' }, 422],
    [{ interval: '2m' }, 422],
    [{ metric: 'x'.repeat(255) }, 200],
    [{ metric: 'x'.repeat(256) }, 422],
  ])('answers %o with %d', async (query, status) => {
    const { admin, machine } = await plant(hub)
    expect((await get(admin, machine.id, query as Record<string, string>)).status).toBe(status)
  })

  it('averages the largest numbers there are without overflowing', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const day = new Date(Date.now() - 48 * HOUR).toISOString().slice(0, 10)
    const at = (time: string) => new Date(`${day}T${time}Z`)
    await hub.send(key, [
      { machine: identifier, value: Number.MAX_VALUE, at: at('12:00:00') },
      { machine: identifier, value: Number.MAX_VALUE, at: at('12:01:00') },
      { machine: identifier, value: 1e200, at: at('13:00:00') },
      { machine: identifier, value: -1e200, at: at('13:01:00') },
      { machine: identifier, value: 6, at: at('13:02:00') },
      { machine: identifier, value: 2, at: at('14:00:00') },
      { machine: identifier, value: 5, at: at('14:01:00') },
    ])
    const { body } = await get(admin, machine.id, { start: day, end: day, interval: '1h' })
    expect(body[0].data_points.map((p: { value: number }) => p.value)).toEqual([Number.MAX_VALUE, 2, 3.5])
  })

  it('refuses more than 100,000 raw points and names interval', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    await hub.send(key, [{ machine: identifier, value: 1, ago: 1 }])
    const end = Date.now() - 2_000
    const older = evenly(end - 999_990, end, 10, (i) => i)
    await storeReadings(hub.owner, [{ machineId: machine.id, metric: 'temperature', unit: 'celsius', ...older }])
    expect((await get(admin, machine.id)).body[0].data_points).toHaveLength(100_000)
    await hub.send(key, [{ machine: identifier, value: 1, ago: 1.5 }])
    const refused = await get(admin, machine.id)
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: 'query.interval' }] } })
    expect((await get(admin, machine.id, { interval: '1m' })).status).toBe(200)
  })
})

it('a start in the future without an end is told by its own name', async () => {
  const { admin, machine } = await plant(hub)
  const { status, body } = await admin.call('GET', `machines/${machine.id}/readings?start=2999-01-01`)
  const message = 'must be in the past unless end is given'
  expect([status, body.errors]).toEqual([422, [{ path: 'query.start', message, code: 'not_in_past', params: {} }]])
})

describe('GET /machines/{machine_id}/readings as CSV', () => {
  it('is a line for each point, quoted where it has to be, for who prefers it to JSON', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const at = new Date(hub.clock.now().getTime() - HOUR)
    await hub.send(key, [
      { machine: identifier, value: -1.5e-7, at, metric: 'flow, "main"', unit: 'm3/h' },
      { machine: identifier, value: 21, at },
      { machine: identifier, value: 22, at: new Date(at.getTime() + 1) },
    ])
    const path = `machines/${machine.id}/readings`
    const answer = await admin.call('GET', path, undefined, { accept: 'text/csv' })
    expect(answer.headers.get('content-type')).toMatch(/^text\/csv; charset=utf-8/)
    expect(answer.body).toBe(
      [
        'timestamp,metric_name,unit,value',
        `${at.toISOString()},"flow, ""main""",m3/h,-1.5e-7`,
        `${at.toISOString()},temperature,celsius,21`,
        `${new Date(at.getTime() + 1).toISOString()},temperature,celsius,22`,
        '',
      ].join('\r\n'),
    )
    const type = async (accept: string) =>
      (await admin.call('GET', path, undefined, { accept })).headers.get('content-type')?.split(';')[0]
    expect(await type('application/json, text/csv;q=0.5')).toBe('application/json')
    expect(await type('text/csv, application/json;q=0.5')).toBe('text/csv')
    expect(await type('*/*')).toBe('application/json')
    await hub.send(key, [{ machine: identifier, value: -1, at, metric: '=HYPERLINK("x")', unit: '@u' }])
    const formula = await admin.call('GET', `${path}?metric=${encodeURIComponent('=HYPERLINK("x")')}`, undefined, {
      accept: 'text/csv',
    })
    expect(formula.body).toContain(`${at.toISOString()},"'=HYPERLINK(""x"")",'@u,-1\r\n`)
    const nothing = await admin.call('GET', `${path}?metric=none`, undefined, { accept: 'text/csv' })
    expect(nothing.body).toBe('timestamp,metric_name,unit,value\r\n')
  })

  it('is a file with a name, and suits a spreadsheet where that is asked for', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const at = new Date(hub.clock.now().getTime() - HOUR)
    await hub.send(key, [{ machine: identifier, value: 21, at }])
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
    const accept = { accept: 'text/csv' }
    const path = `machines/${machine.id}/readings?start=${day(at.getTime())}&end=${day(at.getTime())}`
    const plain = await admin.call('GET', path, undefined, accept)
    expect(plain.headers.get('content-disposition')).toBe(
      `attachment; filename="readings-${machine.id}-${day(at.getTime())}-${day(at.getTime())}.csv"`,
    )
    expect((await admin.call('GET', path)).headers.get('content-disposition')).toBe(null)
    const response = await hub.app.request(
      `/api/v1/${path}&bom=true&timezone=Asia/Tokyo`,
      { headers: { ...accept, authorization: `Bearer ${admin.token}` } },
      { incoming: { socket: { remoteAddress: '10.0.0.1' } } },
    )
    const local = new Date(at.getTime() + 9 * HOUR).toISOString().replace('T', ' ').slice(0, -1)
    expect(Buffer.from(await response.arrayBuffer()).toString('latin1')).toBe(
      `\xef\xbb\xbftimestamp,metric_name,unit,value\r\n${local},temperature,celsius,21\r\n`,
    )
    const bad = await admin.call('GET', `${path}&timezone=Mars/Base`, undefined, accept)
    expect([bad.status, bad.body.errors[0].path]).toEqual([422, 'query.timezone'])
  })
})

describe('a large answer of GET /machines/{machine_id}/readings', () => {
  it("is read at the client's pace: no transaction waits for the client, and each page is small", async () => {
    const { admin, machine } = await plant(hub)
    const end = Math.floor(Date.now() / HOUR) * HOUR - HOUR
    const start = end - 60 * 24 * HOUR
    const history = evenly(start, end, 60_000, (_, at) => at / 1_000)
    await storeReadings(hub.owner, [{ machineId: machine.id, metric: 'temperature', unit: 'celsius', ...history }])
    const query = new URLSearchParams({
      start: new Date(start).toISOString(),
      end: new Date(end - 1).toISOString(),
      interval: '1m',
    })
    const answer = await hub.app.request(
      `/api/v1/machines/${machine.id}/readings?${query}`,
      { headers: { authorization: `Bearer ${admin.token}` } },
      { incoming: { socket: { remoteAddress: '10.0.0.1' } } },
    )
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    const pieces: Uint8Array[] = []
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      pieces.push(piece.value)
      const [held] = await hub.owner`select count(*)::int as n from pg_stat_activity
        where application_name = 'haltless app' and state <> 'idle' and datname = current_database()`
      expect(held?.n).toBe(0)
    }
    expect(pieces.length).toBeGreaterThan(4)
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(2_000_000)
    const [only] = JSON.parse(Buffer.concat(pieces).toString()) as { data_points: { timestamp: string; value: number }[] }[]
    expect(only?.data_points).toHaveLength(60 * 24 * 60)
    const isRight = (p: { timestamp: string; value: number }, i: number) =>
      Date.parse(p.timestamp) === start + i * 60_000 && p.value * 1_000 === Date.parse(p.timestamp)
    expect(only?.data_points.every(isRight)).toBe(true)
  })

  it('of several series in pages has every point once', async () => {
    const { admin, machine } = await plant(hub)
    const counts = [10, 45_000, 20_000, 12]
    const end = Date.now() - 60_000
    await storeReadings(
      hub.owner,
      counts.map((n, i) => {
        const series = { machineId: machine.id, metric: `m${i + 1}`, unit: 'bar' }
        return { ...series, ...evenly(end - n * 500, end, 500, (k) => n - k) }
      }),
    )
    const { body } = await admin.call('GET', `machines/${machine.id}/readings`)
    expect(body.map((s: { metric_name: string; data_points: unknown[] }) => [s.metric_name, s.data_points.length])).toEqual(
      counts.map((n, i) => [`m${i + 1}`, n]),
    )
    for (const { data_points } of body as { data_points: { value: number }[] }[])
      expect(data_points.every((p, i) => p.value === data_points.length - i)).toBe(true)
  })
})

describe('GET /machines/{machine_id}/readings/latest', () => {
  it('is the newest timestamp, not the last arrival, across units', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    await hub.send(key, [{ machine: identifier, value: 2, ago: 10 }])
    await hub.send(key, [{ machine: identifier, value: 1, ago: 100 }])
    await hub.send(key, [{ machine: identifier, value: 300, ago: 5, unit: 'kelvin' }])
    const { body } = await admin.call('GET', `machines/${machine.id}/readings/latest`)
    expect(body.readings).toMatchObject({ temperature: { value: 300, unit: 'kelvin', raw_tag: null } })
  })
  it('is an empty map without readings', async () => {
    const { admin, machine } = await plant(hub)
    expect((await admin.call('GET', `machines/${machine.id}/readings/latest`)).body).toEqual({
      machine_id: machine.id,
      readings: {},
    })
  })
})
