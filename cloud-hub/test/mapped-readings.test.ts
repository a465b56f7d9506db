import { toColumns } from '@haltless/protocol'
import { describe, expect, it } from 'vitest'
import { Flusher, type Ingest, IngestQueue, submissionFromBatch } from '../src/features/telemetry/ingest/index.ts'
import { createLogger } from '../src/support/logger.ts'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()

/** A replica with a memory of its own, on the same database. */
const replica = (): Ingest => new IngestQueue(new Flusher(hub.flushDeps), createLogger('silent'))

interface Sent {
  metric?: string
  unit?: string
  tag?: string | null
  value?: number
  /** ms after the start of the test's readings */
  at: number
}
const start = () => hub.clock.now().getTime() - 60_000

async function mappedPlant() {
  const made = await plant(hub)
  const from = start()
  const confirm = async (tag: string, name: string, unit: string) => {
    await made.admin.call('POST', 'tag-mappings/auto-map', { tags: [{ machine_id: made.machine.id, raw_tag: tag }] })
    const all = (await made.admin.call('GET', `machines/${made.machine.id}/tag-mappings`)).body as {
      id: string
      raw_tag: string
    }[]
    const id = all.find((mapping) => mapping.raw_tag === tag)?.id
    if (unit !== '') await made.admin.call('PATCH', `tag-mappings/${id}`, { standardized_name: name, unit })
    else await hub.owner`update tag_mappings set standardized_name = ${name}, unit = '' where id = ${id as string}`
    expect((await made.admin.call('POST', `tag-mappings/${id}/confirm`)).status).toBe(200)
    return id as string
  }
  const readings = (sent: readonly Sent[], machine = made.identifier) =>
    sent.map(({ metric = 'raw', unit = 'count', tag = 'DB1.T', value = 1, at }) => ({
      machine,
      metric,
      unit,
      rawTag: tag,
      timestamp: from + at,
      value,
    }))
  const accept = (ingest: Ingest, ...sent: Sent[]) =>
    ingest.acceptReadings(made.admin.tenantId, submissionFromBatch(toColumns(readings(sent)), hub.clock.now().getTime()))
  return { ...made, from, confirm, readings, accept }
}
const seriesOf = async (admin: TestUser, machineId: string) =>
  Object.fromEntries(
    (
      (await admin.call('GET', `machines/${machineId}/readings`)).body as {
        metric_name: string
        unit: string
        data_points: { value: number }[]
      }[]
    ).map((series) => [`${series.metric_name} ${series.unit}`, series.data_points.map((point) => point.value)]),
  )

describe('a confirmed mapping', () => {
  it('renames and relabels later readings that carry the tag, and no others; values stay as they are', async () => {
    const { admin, machine, confirm, accept } = await mappedPlant()
    await accept(hub.ingest, { at: 0, value: 1 })
    await confirm('DB1.T', 'temperature', 'celsius')
    await accept(hub.ingest, { at: 1, value: 2 }, { at: 2, value: 3, tag: 'DB1.U' }, { at: 3, value: 4, tag: null })
    expect(await seriesOf(admin, machine.id)).toEqual({ 'raw count': [1, 3, 4], 'temperature celsius': [2] })
    const { readings } = (await admin.call('GET', `machines/${machine.id}/readings/latest`)).body
    expect(readings.temperature).toMatchObject({ value: 2, unit: 'celsius', raw_tag: 'DB1.T' })
  })

  it('is of one machine', async () => {
    const { admin, key, confirm, accept, from } = await mappedPlant()
    const other = await hub.machine(admin)
    await confirm('DB1.T', 'temperature', 'celsius')
    await accept(hub.ingest, { at: 0 })
    const reading = {
      machine_identifier: other.machine_identifier,
      metric_name: 'raw',
      unit: 'count',
      raw_tag: 'DB1.T',
      value: 9,
    }
    const sent = { readings: [{ ...reading, timestamp: new Date(from).toISOString() }] }
    expect((await hub.call('POST', 'ingest', sent, { 'x-api-key': key })).body.accepted_count).toBe(1)
    expect(await seriesOf(admin, other.id)).toEqual({ 'raw count': [9] })
  })

  it('changes nothing before it is confirmed, and leaves the unit alone where it names none', async () => {
    const { admin, machine, confirm, accept } = await mappedPlant()
    await admin.call('POST', 'tag-mappings/auto-map', { tags: [{ machine_id: machine.id, raw_tag: 'DB1.T' }] })
    await accept(hub.ingest, { at: 0, value: 1 })
    await confirm('DB1.T', 'pieces', '')
    await accept(hub.ingest, { at: 1, value: 2 })
    expect(await seriesOf(admin, machine.id)).toEqual({ 'raw count': [1], 'pieces count': [2] })
  })

  it('applies before identity: two tags with the same name at one instant are one reading, the first', async () => {
    const { admin, machine, confirm, accept } = await mappedPlant()
    await confirm('A', 'speed', 'rpm')
    await confirm('B', 'speed', 'rpm')
    const [one, two] = [
      { at: 0, tag: 'A', metric: 'a', value: 1 },
      { at: 0, tag: 'B', metric: 'b', value: 2 },
    ]
    const plain = { at: 1, tag: null, metric: 'speed', unit: 'rpm', value: 3 }
    expect(await accept(hub.ingest, one, two)).toMatchObject({ accepted_count: 2, rejected_count: 0 })
    await accept(hub.ingest, plain)
    expect(await accept(hub.ingest, two, { ...one, at: 1, value: 4 })).toMatchObject({ accepted_count: 2, rejected_count: 0 })
    expect(await seriesOf(admin, machine.id)).toEqual({ 'speed rpm': [1, 3] })
  })

  it('applies at once on replicas with a cache: confirmed, corrected, and deleted with its machine', async () => {
    const { admin, machine, confirm, accept } = await mappedPlant()
    const [one, other] = [replica(), replica()]
    for (const [i, ingest] of [one, other, one, other].entries()) await accept(ingest, { at: i, value: i })
    const id = await confirm('DB1.T', 'temperature', 'celsius')
    for (const [i, ingest] of [one, other, one, other].entries()) await accept(ingest, { at: 10 + i, value: 10 + i })
    await admin.call('PATCH', `tag-mappings/${id}`, { unit: 'kelvin' })
    for (const [i, ingest] of [one, other].entries()) await accept(ingest, { at: 20 + i, value: 20 + i })
    expect(await seriesOf(admin, machine.id)).toEqual({
      'raw count': [0, 1, 2, 3],
      'temperature celsius': [10, 11, 12, 13],
      'temperature kelvin': [20, 21],
    })
    await hub.owner`delete from tag_mappings where id = ${id}`
    for (const [i, ingest] of [one, other].entries()) await accept(ingest, { at: 30 + i, value: 30 + i })
    expect((await seriesOf(admin, machine.id))['raw count']).toEqual([0, 1, 2, 3, 30, 31])
    expect(await hub.owner`select 1 from tenants where id = ${admin.tenantId} and has_tag_mappings`).toHaveLength(0)
  })

  it('determines the metric that rules evaluate', async () => {
    const { admin, machine, confirm, accept } = await mappedPlant()
    await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
    await confirm('A', 'temperature', 'celsius')
    await confirm('B', 'temperature', 'celsius')
    const ingest = replica()
    for (const [i, [tag, value]] of (
      [
        ['A', 50],
        ['B', 95],
        ['A', 96],
        ['B', 50],
        ['A', 50],
        ['B', 95],
      ] as const
    ).entries())
      await accept(ingest, { at: i, tag, value })
    const { items } = (await admin.call('GET', `alerts?machine_id=${machine.id}`)).body
    expect(
      items.map((a: { trigger_value: number; cleared_at: string | null }) => [a.trigger_value, a.cleared_at !== null]),
    ).toEqual([
      [95, false],
      [95, true],
    ])
  })

  it('leaves the indexes of rejections those of the sender', async () => {
    const { key, confirm, from, identifier } = await mappedPlant()
    await confirm('A', 'speed', 'rpm')
    const reading = (machine: string, value: unknown, tag?: string) => ({
      machine_identifier: machine,
      metric_name: 'raw',
      unit: 'count',
      value,
      timestamp: new Date(from).toISOString(),
      ...(tag ? { raw_tag: tag } : {}),
    })
    const readings = [
      reading(identifier, 1, 'A'),
      reading('nobody', 2, 'A'),
      reading(identifier, 'x', 'A'),
      reading(identifier, 4),
    ]
    const { body } = await hub.call('POST', 'ingest', { readings }, { 'x-api-key': key })
    expect(body).toMatchObject({
      accepted_count: 2,
      rejected_count: 2,
      errors: [
        { index: 1, machine_identifier: 'nobody', code: 'unknown_machine' },
        { index: 2, machine_identifier: identifier, code: 'invalid_value' },
      ],
    })
  })

  it('concerns its tenant only, in one flush with others', async () => {
    const [mine, theirs] = [await mappedPlant(), await mappedPlant()]
    await mine.confirm('DB1.T', 'temperature', 'celsius')
    await Promise.all([mine, theirs, mine, theirs].map(({ accept }, i) => accept(hub.ingest, { at: i, value: i })))
    expect(await seriesOf(mine.admin, mine.machine.id)).toEqual({ 'temperature celsius': [0, 2] })
    expect(await seriesOf(theirs.admin, theirs.machine.id)).toEqual({ 'raw count': [1, 3] })
  })
})
