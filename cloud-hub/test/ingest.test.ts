import { describe, expect, it } from 'vitest'
import { useHub } from './harness.ts'

const hub = useHub()

async function plant() {
  const admin = await hub.admin()
  const { key } = await hub.apiKey(admin)
  const machine = await hub.machine(admin)
  return { admin, key, machine, identifier: machine.machine_identifier }
}

describe('POST /ingest', () => {
  it('stores what is good and names what is not, by index', async () => {
    const { admin, key, machine, identifier } = await plant()
    const now = hub.clock.now().toISOString()
    const good = {
      machine_identifier: identifier,
      timestamp: now,
      metric_name: 'temperature',
      value: 20.5,
      unit: 'celsius',
      raw_tag: 'DB1.T',
    }
    const answer = await hub.call(
      'POST',
      'ingest',
      {
        readings: [
          good,
          { ...good, machine_identifier: 'nobody' },
          { ...good, value: '1' },
          { ...good, metric_name: 'a\0b' },
          null,
        ],
      },
      { 'x-api-key': key },
    )
    expect(answer.status).toBe(207)
    expect(answer.body).toMatchObject({ accepted_count: 1, rejected_count: 4 })
    expect(answer.body.errors.map((e: { index: number; code: string }) => [e.index, e.code])).toEqual([
      [1, 'unknown_machine'],
      [2, 'invalid_value'],
      [3, 'invalid_metric_name'],
      [4, 'invalid_reading'],
    ])
    const latest = await admin.call('GET', `machines/${machine.id}/readings/latest`)
    expect(latest.body).toEqual({
      machine_id: machine.id,
      readings: { temperature: { timestamp: now, value: 20.5, unit: 'celsius', raw_tag: 'DB1.T' } },
    })
  })
})
