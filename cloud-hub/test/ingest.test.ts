import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { plant, useHub } from './harness.ts'
import { countStored, refuseReadings, storedReadings } from './support/stored-readings.ts'

const hub = useHub()
const stored = (machineId: string): Promise<number> => countStored(hub.owner, { machineId })

const reading = (machine: string, values: Record<string, unknown> = {}) => ({
  machine_identifier: machine,
  timestamp: hub.clock.now().toISOString(),
  metric_name: 'temperature',
  value: 20.5,
  unit: 'celsius',
  ...values,
})
const post = (key: string, readings: unknown, headers: Record<string, string> = {}) =>
  hub.call('POST', 'ingest', { readings }, { 'x-api-key': key, ...headers })

describe('POST /ingest', () => {
  it('stores valid readings and reports invalid ones by index', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const good = reading(identifier, { raw_tag: 'DB1.T' })
    const bad = [{ ...good, machine_identifier: 'nobody' }, { ...good, value: '1' }, { ...good, metric_name: 'a\0b' }, null]
    const answer = await post(key, [good, ...bad])
    expect(answer.status).toBe(207)
    expect(answer.body).toMatchObject({ accepted_count: 1, rejected_count: 4 })
    expect(
      answer.body.errors.map((e: { index: number; code: string; machine_identifier: string }) => [
        e.index,
        e.code,
        e.machine_identifier,
      ]),
    ).toEqual([
      [1, 'unknown_machine', 'nobody'],
      [2, 'invalid_value', identifier],
      [3, 'invalid_metric_name', identifier],
      [4, 'invalid_reading', null],
    ])
    const latest = await admin.call('GET', `machines/${machine.id}/readings/latest`)
    const temperature = { timestamp: good.timestamp, value: 20.5, unit: 'celsius', raw_tag: 'DB1.T' }
    expect(latest.body).toEqual({ machine_id: machine.id, readings: { temperature } })
  })

  it.each([
    ['an empty identifier', { machine_identifier: '' }, 'invalid_machine_identifier'],
    ['an identifier of 256 characters', { machine_identifier: 'x'.repeat(256) }, 'invalid_machine_identifier'],
    ['a metric of 256 characters', { metric_name: 'x'.repeat(256) }, 'invalid_metric_name'],
    ['a lone surrogate', { metric_name: '\ud800' }, 'invalid_metric_name'],
    ['no unit', { unit: undefined }, 'invalid_unit'],
    ['a value that is no number', { value: null }, 'invalid_value'],
    ['a key that is no UUID', { idempotency_key: 'once' }, 'invalid_idempotency_key'],
    ['a timestamp without a zone', { timestamp: '2026-01-01T00:00:00' }, 'invalid_timestamp'],
    ['a 30 February', { timestamp: '2026-02-30T00:00:00Z' }, 'invalid_timestamp'],
    ['a timestamp that is a number', { timestamp: 1_700_000_000 }, 'invalid_timestamp'],
  ])('rejects %s by index', async (_name, values, code) => {
    const { key, identifier } = await plant(hub)
    const answer = await post(key, [reading(identifier, values)])
    expect(answer.body).toMatchObject({ accepted_count: 0, rejected_count: 1, errors: [{ index: 0, code }] })
  })

  it('takes metrics of 255 characters, timestamps with an offset, and both ends of the permitted time', async () => {
    const { key, machine, identifier } = await plant(hub)
    const at = (ms: number) => new Date(hub.clock.now().getTime() + ms).toISOString()
    const day = 86_400_000
    const answer = await post(key, [
      reading(identifier, { metric_name: 'x'.repeat(255) }),
      reading(identifier, { timestamp: '2026-06-01T14:00:00.1239+02:00', metric_name: 'offset' }),
      reading(identifier, { timestamp: at(4.9 * 60_000) }),
      reading(identifier, { timestamp: at(5.1 * 60_000) }),
      reading(identifier, { timestamp: at(-3_650 * day + 60_000) }),
      reading(identifier, { timestamp: at(-3_650 * day - 60_000) }),
    ])
    expect(answer.body.errors.map((e: { index: number; code: string }) => [e.index, e.code])).toEqual([
      [3, 'timestamp_in_future'],
      [5, 'timestamp_too_old'],
    ])
    const [row] = await storedReadings(hub.owner, { machineId: machine.id, metric: 'offset' })
    expect(new Date(row?.at ?? 0).toISOString()).toBe('2026-06-01T12:00:00.123Z')
  })

  it('takes 1,000 readings and refuses 1,001 as a whole', async () => {
    const { key, machine, identifier } = await plant(hub)
    const many = Array.from({ length: 1_001 }, (_, i) =>
      reading(identifier, { timestamp: new Date(hub.clock.now().getTime() - i * 1000).toISOString() }),
    )
    expect((await post(key, many)).status).toBe(422)
    expect((await post(key, many.slice(1))).body).toMatchObject({ accepted_count: 1_000, rejected_count: 0 })
    expect(await stored(machine.id)).toBe(1_000)
  })

  it('answers 207 to an empty array, and 422 or 400 to what is none', async () => {
    const { key } = await plant(hub)
    expect(await post(key, [])).toMatchObject({ status: 207, body: { accepted_count: 0, rejected_count: 0, errors: [] } })
    expect((await post(key, 'x')).status).toBe(422)
    expect((await hub.call('POST', 'ingest', '{', { 'x-api-key': key })).status).toBe(400)
    expect((await hub.call('POST', 'ingest', 'a=1', { 'x-api-key': key, 'content-type': 'text/plain' })).status).toBe(415)
  })

  it('reads gzip bodies, and refuses one that unfolds beyond the limit', async () => {
    const { key, identifier } = await plant(hub)
    const send = async (text: string) => {
      const body = gzipSync(text)
      const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-encoding': 'gzip' }
      return hub.app.request('/api/v1/ingest', { method: 'POST', body, headers })
    }
    expect((await send(JSON.stringify({ readings: [reading(identifier)] }))).status).toBe(207)
    expect((await send(' '.repeat(20_000_000))).status).toBe(413)
  })

  it('stores a reading sent twice once; the first value stands', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const once = reading(identifier)
    await post(key, [once])
    const again = await post(key, [{ ...once, value: 99 }])
    expect(again.body).toMatchObject({ accepted_count: 1, rejected_count: 0 })
    expect(await stored(machine.id)).toBe(1)
    expect((await admin.call('GET', `machines/${machine.id}/readings/latest`)).body.readings.temperature.value).toBe(20.5)
  })

  it('shows as latest the one of two different values for an instant that it stored', async () => {
    const { admin, key, machine, identifier } = await plant(hub)
    const at = hub.clock.now()
    const twice = [1, 2].map((value) => ({ machine: identifier, value, at }))
    expect((await hub.send(key, twice)).body.accepted_count).toBe(2)
    const { body } = await admin.call('GET', `machines/${machine.id}/readings/latest`)
    expect(body.readings.temperature.value).toBe(1)
  })

  it('keeps the same instant in another unit or metric apart', async () => {
    const { key, machine, identifier } = await plant(hub)
    const one = reading(identifier)
    await post(key, [one, { ...one, unit: 'kelvin' }, { ...one, metric_name: 'oil' }])
    expect(await stored(machine.id)).toBe(3)
  })

  it('stores a repeated idempotency_key once, within a request and across requests', async () => {
    const { key, machine, identifier } = await plant(hub)
    const idempotency_key = randomUUID()
    const at = (s: number) => new Date(hub.clock.now().getTime() - s * 1000).toISOString()
    const readings = [1, 2].map((s) => reading(identifier, { idempotency_key, timestamp: at(s) }))
    expect((await post(key, readings)).body.accepted_count).toBe(2)
    expect(
      (await post(key, [reading(identifier, { idempotency_key: idempotency_key.toUpperCase(), timestamp: at(3) })])).body
        .accepted_count,
    ).toBe(1)
    expect(await stored(machine.id)).toBe(1)
  })

  it("does not spend an idempotency_key on a rejected reading, nor on another tenant's", async () => {
    const [a, b] = [await plant(hub), await plant(hub)]
    const idempotency_key = randomUUID()
    await post(a.key, [reading('nobody', { idempotency_key })])
    await post(a.key, [reading(a.identifier, { idempotency_key })])
    await post(b.key, [reading(b.identifier, { idempotency_key })])
    expect([await stored(a.machine.id), await stored(b.machine.id)]).toEqual([1, 1])
  })

  it("rejects another tenant's machine and a deactivated one", async () => {
    const [a, b] = [await plant(hub), await plant(hub)]
    await a.admin.call('DELETE', `machines/${a.machine.id}`)
    const answer = await post(a.key, [reading(a.identifier), reading(b.identifier)])
    expect(answer.body.errors.map((e: { code: string }) => e.code)).toEqual(['unknown_machine', 'unknown_machine'])
    await a.admin.call('PATCH', `machines/${a.machine.id}`, { is_active: true })
    expect((await post(a.key, [reading(a.identifier)])).body.accepted_count).toBe(1)
  })

  it('answers each of many parallel requests for its own readings', async () => {
    const plants = await Promise.all(Array.from({ length: 8 }, () => plant(hub)))
    const answers = await Promise.all(
      plants.flatMap(({ key, identifier }, p) =>
        Array.from({ length: 5 }, (_, i) =>
          post(key, [reading(identifier, { metric_name: `m${i}`, value: p }), reading(`unknown-${p}-${i}`)]),
        ),
      ),
    )
    answers.forEach((answer, i) => {
      expect(answer.body).toMatchObject({
        accepted_count: 1,
        rejected_count: 1,
        errors: [{ index: 1, machine_identifier: `unknown-${Math.floor(i / 5)}-${i % 5}` }],
      })
    })
    for (const { machine } of plants) expect(await stored(machine.id)).toBe(5)
  })

  it('survives flushes of the same series in opposite order', async () => {
    const { key, machine, identifier } = await plant(hub)
    const now = hub.clock.now().getTime()
    const batch = (order: 1 | -1, from: number) =>
      Array.from({ length: 200 }, (_, i) =>
        reading(identifier, {
          metric_name: `m${order === 1 ? i % 50 : 49 - (i % 50)}`,
          timestamp: new Date(now - (from + i) * 10).toISOString(),
        }),
      )
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => post(key, batch(i % 2 === 0 ? 1 : -1, i * 150))))
    expect(answers.every((answer) => answer.status === 207 && answer.body.accepted_count === 200)).toBe(true)
    expect(await stored(machine.id)).toBeGreaterThan(1_800)
  })

  it('rejects the one reading that the database refuses, and stores its 999 neighbours and those of other tenants', async () => {
    const [a, b] = [await plant(hub), await plant(hub)]
    const newest = hub.clock.now().getTime()
    const at = (i: number) => new Date(newest - i * 1_000)
    const endRefusal = await refuseReadings(hub.owner, { at: [at(417)] }, '22003')
    try {
      const readings = Array.from({ length: 1_000 }, (_, i) =>
        reading(a.identifier, { value: i, timestamp: at(i).toISOString() }),
      )
      const [answer, neighbour] = await Promise.all([post(a.key, readings), post(b.key, [reading(b.identifier)])])
      expect(answer.body).toMatchObject({
        accepted_count: 999,
        rejected_count: 1,
        errors: [{ index: 417, machine_identifier: a.identifier, code: 'refused_by_storage' }],
      })
      expect(neighbour.body.accepted_count).toBe(1)
      expect(await stored(a.machine.id)).toBe(999)
    } finally {
      await endRefusal()
    }
  })
})
