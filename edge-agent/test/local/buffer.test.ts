import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bufferFile } from '../../src/agent-paths.ts'
import { exportBuffer, formatBuffer, inspectBuffer } from '../../src/commands/buffer-command.ts'
import { Plant } from '../agent-harness.ts'

let plant: Plant
beforeEach(async () => {
  plant = await Plant.open()
  // nothing leaves the buffer
  Object.assign(plant.hub.behaviour, { isMqttOpen: false, isWebSocketOpen: false, isHttpOpen: false })
})
afterEach(() => plant.end())

const AT = Date.parse('2026-11-24T10:00:00.000Z')
const reading = (metric: string, i: number, value: number) => ({
  machine: 'press, "1"',
  metric,
  unit: 'bar',
  rawTag: metric === 'speed' ? null : 'ns=2;s=P',
  timestamp: AT + i,
  value,
})

it('shows what waits, and writes all of it, exact and in order, beside a running agent', async () => {
  const { feed } = plant.start()
  const sent = Array.from({ length: 2_500 }, (_, i) => reading('pressure', i, i / 3))
  for (let at = 0; at < sent.length; at += 100) await feed(sent.slice(at, at + 100))
  await feed([reading('speed', 0, -0)])
  const config = plant.config()
  const content = inspectBuffer(config)
  expect(content).toMatchObject({ readings: 2_501, dead_letters: 0, dropped: 0, damaged_chunks: 0 })
  expect(content.series).toMatchObject([
    { metric: 'pressure', readings: 2_500, oldest_at: AT, newest_at: AT + 2_499 },
    { metric: 'speed', readings: 1 },
  ])
  expect(formatBuffer(content, AT + 60_000)).toMatch(
    /waiting +2,501 readings[\s\S]*press, "1" +pressure \(bar\) +2500 +1 min ago/,
  )

  const json = join(plant.folder, 'all.json')
  expect(await exportBuffer(config, json, () => {})).toEqual({ readings: 2_501, damaged: 0 })
  const lines = readFileSync(json, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.slice(0, 2_500).map(({ value }) => value)).toEqual(sent.map(({ value }) => value))
  expect(lines[1]).toEqual({
    timestamp: '2026-11-24T10:00:00.001Z',
    machine_identifier: 'press, "1"',
    metric_name: 'pressure',
    unit: 'bar',
    value: 1 / 3,
    raw_tag: 'ns=2;s=P',
  })

  const csv = join(plant.folder, 'all.csv')
  await exportBuffer(config, csv, () => {})
  const [head, first] = readFileSync(csv, 'utf8').split('\n')
  expect(head).toBe('timestamp,machine_identifier,metric_name,unit,value,raw_tag')
  expect(first).toBe('2026-11-24T10:00:00.000Z,"press, ""1""",pressure,bar,0,"ns=2;s=P"')
  await expect(exportBuffer(config, csv, () => {})).rejects.toThrow(`${csv} cannot be written: it exists already`)
})

it('leaves out what is damaged, and says so', async () => {
  const { agent, feed } = plant.start()
  await feed([reading('pressure', 1, 1)])
  await feed([reading('pressure', 2, 2)])
  await plant.stop(agent)
  const db = new Database(bufferFile(plant.dataDir))
  db.prepare("UPDATE chunks SET body = x'50' WHERE id = (SELECT min(id) FROM chunks)").run()
  db.close()
  expect(inspectBuffer(plant.config()).damaged_chunks).toBe(1)
  const file = join(plant.folder, 'rest.csv')
  expect(await exportBuffer(plant.config(), file, () => {})).toEqual({ readings: 1, damaged: 1 })
})

it('of a folder where no agent has run says so', () => {
  expect(() => inspectBuffer(plant.config())).toThrow(/no agent has run there yet/)
})
