import { randomUUID } from 'node:crypto'
import type { Reading } from '@haltless/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Plant, readings, until } from './agent-harness.ts'

let plant: Plant
beforeEach(async () => {
  plant = await Plant.open()
})
afterEach(() => plant.end())

const buffered = () => plant.report().buffer.buffered

describe('hand-over by receipt', () => {
  it('readings go to the hub and leave the buffer when their receipt has come', async () => {
    const { feed, agent } = plant.start()
    await feed(readings(2_500))
    await until('all are stored', () => plant.hub.stored.size === 2_500)
    await until('the buffer is empty', () => buffered() === 0)
    expect([...plant.hub.stored.values()]).toEqual(expect.arrayContaining(readings(3, 2_497)))
    expect(agent.status().uplink).toMatchObject({ state: 'sending', via: 'mqtt', storedTotal: 2_500 })
  })

  it('neither PUBACK nor the receipt of another batch deletes readings from the buffer', async () => {
    plant.hub.behaviour.receipt = () => null
    const { feed } = plant.start({ uplink: { receiptTimeoutMs: 60_000 } })
    await feed(readings(10))
    await until('the batch has arrived', () => plant.hub.batches.length === 1)
    plant.hub.publish('press-hall', 'receipts', { batch_id: randomUUID(), accepted_count: 10, rejected_count: 0, errors: [] })
    plant.hub.publish('press-hall', 'receipts', 'no receipt at all')
    await feed(readings(10, 10))
    await until('a second batch has passed the same way', () => plant.hub.batches.length === 2)
    expect(buffered()).toBe(20)
    const [first] = plant.hub.batches
    plant.hub.publish('press-hall', 'receipts', { batch_id: first?.batchId, accepted_count: 10, rejected_count: 0, errors: [] })
    await until('its own receipt lets it go', () => buffered() === 10)
  })

  it('status says when the hub confirms nothing, and nothing of the kind while receipts come', async () => {
    plant.hub.behaviour.receipt = () => null
    const { feed, agent } = plant.start({ uplink: { receiptTimeoutMs: 100 } })
    await feed(readings(10))
    const said = () => agent.status().uplink
    await until('it says so', () => said().state === 'sending' && /confirms nothing of what is sent/.test(said().detail))
    plant.hub.behaviour.receipt = () => ({})
    await until('all are stored', () => plant.hub.stored.size === 10)
    await until('it says so no more', () => said().detail === '')
  })

  it('a batch whose receipt is lost is sent again and stored once', async () => {
    let lost = 0
    plant.hub.behaviour.receipt = () => (lost++ === 0 ? null : {})
    const { feed } = plant.start({ uplink: { receiptTimeoutMs: 300 } })
    await feed(readings(100))
    await until('the buffer is empty', () => buffered() === 0)
    expect(plant.hub.batches.length).toBeGreaterThanOrEqual(2)
    expect(plant.hub.stored.size).toBe(100)
  })

  it('a second receipt for a batch, as two hubs send in a rolling upgrade, settles nothing: readings leave once, rejections count once', async () => {
    const errors = [{ index: 0, machine_identifier: 'press-01', code: 'machine_not_found', error: 'no such machine' }]
    let seconds = 0
    plant.hub.behaviour.receipt = (batch) => {
      const result = { accepted_count: batch.values.length - 1, rejected_count: 1, errors }
      for (const delayMs of [0, 20])
        setTimeout(() => {
          plant.hub.publish('press-hall', 'receipts', { batch_id: batch.batchId, ...result })
          seconds++
        }, delayMs)
      return result
    }
    const { feed, agent, lines } = plant.start()
    await feed(readings(3_000))
    await until('the buffer is empty', () => buffered() === 0)
    const { length } = plant.hub.batches
    await until('every batch was answered three times', () => seconds === 2 * length)
    await feed(readings(10, 3_000))
    await until('the buffer is empty again', () => buffered() === 0 && plant.hub.batches.length === length + 1)
    expect(plant.report().buffer.deadLetters).toBe(length + 1)
    expect(agent.status().uplink).toMatchObject({ storedTotal: 3_010 - (length + 1) })
    expect(
      lines.filter((line) => line.includes('the receipt does not match the batch; its readings stay in the buffer')),
    ).toEqual([])
  })

  it('a receipt that does not account for every reading deletes none from the buffer', async () => {
    let wrong = 0
    plant.hub.behaviour.receipt = () => (wrong++ === 0 ? { accepted_count: 3 } : {})
    const { feed, lines } = plant.start()
    await feed(readings(100))
    await until('the buffer is empty', () => buffered() === 0)
    expect(plant.hub.batches.length).toBe(2)
    expect(lines.some((line) => line.includes('the receipt does not match the batch; its readings stay in the buffer'))).toBe(
      true,
    )
  })

  it('a machine that the hub does not know fills the dead letters, not the log', async () => {
    const errors = [{ index: 0, machine_identifier: 'press-01', code: 'machine_not_found', error: 'no such machine' }]
    plant.hub.behaviour.receipt = () => ({ accepted_count: 0, rejected_count: 1, errors })
    const { feed, lines } = plant.start()
    for (let i = 0; i < 5; i++) {
      await feed(readings(1, i))
      await until('it is parked', () => plant.report().buffer.deadLetters === i + 1)
    }
    const said = lines.filter((line) => line.includes('the hub rejected readings'))
    expect(said).toHaveLength(1)
    expect(said[0]).toContain('no such machine')
  })

  it('one poison reading is parked with its reason and its 999 neighbours pass', async () => {
    plant.hub.behaviour.receipt = () => ({
      errors: [{ index: 500, machine_identifier: 'press-01', code: 'machine_not_found', error: 'there is no machine press-01' }],
    })
    const { feed } = plant.start()
    await feed(readings(1_000))
    await until('the buffer is empty', () => buffered() === 0)
    expect(plant.hub.stored.size).toBe(999)
    expect(plant.report().buffer.deadLetters).toBe(1)
    await until('the hub has been told', () => plant.hub.heartbeats.at(-1)?.dead_letter_count === 1)
  })

  it('rejected readings are sent once more when the hub requests it, once per request, and it learns that', async () => {
    const errors = [{ index: 0, machine_identifier: 'press-01', code: 'unknown_machine', error: 'no such machine' }]
    plant.hub.behaviour.receipt = () => ({ accepted_count: 0, rejected_count: 1, errors })
    const { feed } = plant.start()
    await feed(readings(1))
    const reported = () => plant.hub.heartbeats.at(-1)
    await until('the hub knows the reason', () => reported()?.dead_letters?.[0]?.count === 1)
    expect(reported()?.dead_letters).toMatchObject([
      { code: 'unknown_machine', reason: 'no such machine', machine_identifier: 'press-01' },
    ])
    plant.hub.behaviour.receipt = () => ({})
    const request = randomUUID()
    plant.hub.behaviour.requeue = () => request
    await until('the reading is stored', () => plant.hub.stored.size === 1)
    await until('the hub knows that it was sent', () => reported()?.requeued === request)
    await until('the buffer is empty', () => buffered() === 0)
    expect(plant.report().buffer.deadLetters).toBe(0)

    plant.hub.behaviour.receipt = () => ({ accepted_count: 0, rejected_count: 1, errors })
    await feed(readings(1, 1))
    await until('it is parked', () => plant.report().buffer.deadLetters === 1)
    const { length } = plant.hub.heartbeats
    await until('the hub has repeated the old request', () => plant.hub.heartbeats.length >= length + 3)
    expect(plant.report().buffer.deadLetters).toBe(1)
  })

  it('a batch that the hub cannot read is parked whole and the next one passes', async () => {
    let count = 0
    plant.hub.behaviour.receipt = () => (count++ === 0 ? { refused: { code: 'damaged', detail: 'the checksum differs' } } : {})
    const { feed } = plant.start({ uplink: { maxInFlight: 1 } })
    await feed(readings(1_000))
    await feed(readings(1_000, 1_000))
    await until('the buffer is empty', () => buffered() === 0)
    expect(plant.report().buffer.deadLetters).toBe(1_000)
    expect(plant.hub.stored.size).toBe(1_000)
  })
})

describe('a broken connection', () => {
  it('a broken session is reopened, and batches without a receipt are sent again', async () => {
    const { feed } = plant.start()
    await feed(readings(100))
    await until('the buffer is empty', () => buffered() === 0)
    await plant.hub.dropSessions()
    await feed(readings(100, 100))
    await until('all are stored', () => plant.hub.stored.size === 200)
    await until('the buffer is empty again', () => buffered() === 0)
  })

  it('live readings come first, the backlog beside them at its pace, oldest first', async () => {
    plant.hub.behaviour.receipt = () => null
    const before = plant.start({ uplink: { receiptTimeoutMs: 60_000 } })
    for (let i = 0; i < 6; i++) await before.feed(readings(1_000, i * 1_000))
    await plant.stop(before.agent)
    expect(buffered()).toBe(6_000)

    plant.hub.behaviour.receipt = () => ({})
    plant.hub.batches.length = 0
    const { feed } = plant.start({ uplink: { backlogReadingsPerSecond: 2_000 } })
    await until('the backlog has begun to flow', () => plant.hub.batches.length > 0)
    await feed(readings(10, 9_000))
    await until('the live readings are stored', () => [...plant.hub.stored.values()].some(({ value }) => value === 90))
    expect(buffered()).toBeGreaterThan(1_000)
    await until('all are stored', () => plant.hub.stored.size === 6_010)
    const backlog = plant.hub.batches.filter(({ first }) => first.value < 90).map(({ first }) => first.value)
    expect(backlog).toEqual([0, 10, 20, 30, 40, 50])
  })

  it('never more batches are under way than allowed, whatever the backlog, and memory does not grow with it', async () => {
    plant.hub.behaviour.receipt = () => null
    plant.hub.behaviour.heartbeat = () => ({ status: 503 })
    const { feed, agent } = plant.start({ uplink: { receiptTimeoutMs: 60_000, maxInFlight: 3 } })
    const rows = readings(1_000)
    await feed(rows)
    const before = process.memoryUsage()
    for (let i = 1; i < 300; i++) {
      const chunk = rows.map((reading) => ({ ...reading, timestamp: reading.timestamp + i * 1_000_000 }))
      await Promise.race([feed(chunk), new Promise((resolve) => setTimeout(resolve, 1))])
    }
    await until('all are on disk', () => buffered() === 300_000)
    const after = process.memoryUsage()
    expect(after.rss - before.rss).toBeLessThan(200 * 1_048_576)
    plant.hub.behaviour.heartbeat = () => null
    await until('batches arrive', () => plant.hub.batches.length >= 3)
    await feed(readings(1, 5_000_000))
    expect(plant.hub.batches.length).toBe(3)
    expect(agent.status().uplink.state).toBe('sending')
  })
})

describe('batches with numbers instead of names', () => {
  /** A poll of five tags. */
  const poll = (second: number): Reading[] =>
    Array.from({ length: 5 }, (_, tag) => ({
      machine: 'press-01',
      metric: `metric_${tag}`,
      unit: 'bar',
      rawTag: `ns=2;s=${tag}`,
      timestamp: 1_790_000_000_000 + second * 1_000,
      value: second + tag / 10,
    }))
  const versions = () => plant.hub.batches.map(({ version }) => version)

  /** Polls until a batch of a version was stored. @returns the second after the last poll */
  async function pollUntil(version: number, feed: (readings: Reading[]) => Promise<void>, from: number): Promise<number> {
    const { length } = plant.hub.batches
    let second = from
    do {
      await feed(poll(second++))
      await until('the buffer is empty', () => buffered() === 0)
    } while (!versions().slice(length).includes(version))
    return second
  }

  it('are sent after the hub has announced that it reads them and has confirmed their dictionary; HTTP goes on with names', async () => {
    const { feed } = plant.start({}, { betterRetryMs: 50 })
    let second = await pollUntil(1, feed, 0)
    expect(plant.hub.announcements).toBe(0)
    plant.hub.behaviour.announcedVersions = [1, 2]
    second = await pollUntil(2, feed, second)
    plant.hub.behaviour.isMqttOpen = false
    plant.hub.behaviour.isWebSocketOpen = false
    await plant.hub.dropSessions()
    await feed(poll(second++))
    await until('a request with names is stored', () => plant.hub.ingests.length > 0 && buffered() === 0)
    plant.hub.behaviour.isMqttOpen = true
    second = await pollUntil(2, feed, second)
    expect(plant.hub.announcements).toBe(1)
    expect(new Set(plant.hub.stored.values())).toEqual(new Set(Array.from({ length: second }, (_, i) => poll(i)).flat()))
  })

  it('are sent again with names when the hub lost their dictionary, which is then announced again; nothing is parked', async () => {
    plant.hub.behaviour.announcedVersions = [1, 2]
    const { feed } = plant.start()
    let second = await pollUntil(2, feed, 0)
    plant.hub.dictionaries.clear()
    second = await pollUntil(1, feed, second)
    second = await pollUntil(2, feed, second)
    expect(plant.hub.refusals).toEqual(['unknown_dictionary'])
    expect(plant.hub.announcements).toBe(2)
    expect(plant.report().buffer.deadLetters).toBe(0)
    expect(plant.hub.stored.size).toBe(second * 5)
  }, 40_000)

  it('are sent again with names at once when a hub of before gets them, and not used until the hub announces them anew', async () => {
    plant.hub.behaviour.announcedVersions = [1, 2]
    plant.hub.behaviour.nextCheckSeconds = 3_600
    const { feed } = plant.start()
    let second = await pollUntil(2, feed, 0)
    plant.hub.behaviour.readVersions = [1]
    second = await pollUntil(1, feed, second)
    expect(plant.hub.refusals).toEqual(['unknown_version'])
    for (let i = 0; i < 3; i++) second = await pollUntil(1, feed, second)
    expect(plant.hub.refusals).toHaveLength(1)
    plant.hub.behaviour.readVersions = [1, 2]
    plant.hub.publish('press-hall', 'directives', plant.hub.directives())
    second = await pollUntil(2, feed, second)
    expect(plant.report().buffer.deadLetters).toBe(0)
    expect(plant.hub.stored.size).toBe(second * 5)
  })

  it('are never dead letters, even when the hub reads no version at all for a while', async () => {
    const { feed } = plant.start()
    plant.hub.behaviour.readVersions = []
    await feed(poll(0))
    await until('the hub has refused a batch', () => plant.hub.refusals.length > 0)
    expect(buffered()).toBe(5)
    plant.hub.behaviour.readVersions = [1]
    await until('the buffer is empty', () => buffered() === 0)
    expect(plant.report().buffer.deadLetters).toBe(0)
    expect(plant.hub.stored.size).toBe(5)
  })
})
