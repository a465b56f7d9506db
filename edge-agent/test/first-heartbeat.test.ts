import { afterEach, beforeEach, expect, it } from 'vitest'
import { Plant, until } from './agent-harness.ts'

let plant: Plant
beforeEach(async () => {
  plant = await Plant.open()
})
afterEach(() => plant.end())

it('the first heartbeat names the buffer, every collector, the sources and what the agent can update', async () => {
  plant.start()
  await until('it was heard', () => plant.hub.heartbeats.length > 0)
  const [first] = plant.hub.heartbeats
  expect(first).toMatchObject({
    agent_id: 'press-hall',
    instance_id: expect.any(String),
    agent_version: expect.any(String),
    hostname: expect.any(String),
    uptime_seconds: expect.any(Number),
    buffer_count: 0,
    buffer_age_hours: 0,
    buffer_bytes: expect.any(Number),
    buffer_capacity_bytes: expect.any(Number),
    dead_letter_count: 0,
    dropped_count: 0,
    collectors: { press: 'running' },
    sources: { revision: 0 },
    update: { accepts: false },
  })
})
