import { Telemetry } from '@haltless/protocol'
import { expect, it } from 'vitest'
import { telemetryOf } from './telemetry.ts'

it('is a telemetry as the hub takes it, with the age of the oldest reading in hours', () => {
  const stats = { buffered: 5, oldestAt: 1_000, deadLetters: 2, dropped: 3, deadLettersDropped: 0, usedBytes: 4_096 }
  const parts = {
    agentId: 'a',
    instanceId: '0b0e7f1c-93f4-4c1b-8f6f-3d6a5b1f2e90',
    uptimeSeconds: 61.7,
    clockOffsetMs: -3_600_000,
    collectors: { press: 'running' },
    collectorFaults: {},
    capacityBytes: 1_048_576,
    sources: { revision: 0, states: [] },
    gaps: { dropped: [], missed: [] },
    missedPolls: { press: { skipped: 2, failed: 1 } },
    sourceClocks: { press: { ahead_ms: -10_800_000, is_used: false, is_exact: true } },
    deadLetters: [],
    requeued: null,
    update: { accepts: true, platform: 'linux-amd64' },
  }
  const telemetry = telemetryOf({ ...parts, stats, now: 1_000 + 5_400_000 })
  expect(Telemetry.parse(telemetry)).toEqual(telemetry)
  expect(telemetry).toMatchObject({
    buffer_count: 5,
    buffer_age_hours: 1.5,
    buffer_bytes: 4_096,
    buffer_capacity_bytes: 1_048_576,
    dropped_count: 3,
    dead_letter_count: 2,
    uptime_seconds: 61,
    clock_offset_ms: -3_600_000,
    missed_polls: { press: { skipped: 2, failed: 1 } },
    source_clocks: { press: { ahead_ms: -10_800_000, is_used: false, is_exact: true } },
  })
  expect(telemetryOf({ ...parts, stats: { ...stats, oldestAt: null }, now: 9 }).buffer_age_hours).toBe(0)
  expect(telemetryOf({ ...parts, stats: { ...stats, oldestAt: 99_999 }, now: 9 }).buffer_age_hours).toBe(0)
})
