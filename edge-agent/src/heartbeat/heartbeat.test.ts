import { expect, it } from 'vitest'
import type { Clock } from '../support/clock.ts'
import type { HttpAnswer, HttpClient } from '../support/http.ts'
import { createLogger } from '../support/logger.ts'
import { Secret } from '../support/secret.ts'
import { Authorization } from '../uplink/authorization.ts'
import { Heartbeat } from './heartbeat.ts'

const directives = {
  status: 'payment_required',
  next_check_seconds: 120,
  latest_agent_version: '1.0.0',
  min_supported_version: '1.0.0',
  update_available: false,
  unsupported: false,
}
const GAP = {
  gap_id: '0b0e7f1c-93f4-4c1b-8f6f-3d6a5b1f2e90',
  machine_identifier: 'press-01',
  metric_name: 'temperature',
  unit: 'celsius',
  from: '2026-01-01T00:00:00.000Z',
  to: '2026-01-01T00:00:01.000Z',
  count: 2,
  reason: 'disk_full' as const,
}

/** One heartbeat that is answered so: how long the next one is waited for, ms, and which gaps count as told. */
async function after(answer: Partial<HttpAnswer>): Promise<{ waitMs: number; told: string[] }> {
  const told: string[] = []
  const http = { post: async () => ({ status: 200, body: null, retryAfterMs: null, ...answer }) } as unknown as HttpClient
  const { promise, resolve } = Promise.withResolvers<number>()
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: (ms, signal) => {
      resolve(ms)
      return new Promise((wake) => signal?.addEventListener('abort', () => wake()))
    },
  }
  const heartbeat = new Heartbeat({
    hub: { url: 'http://127.0.0.1', apiKey: new Secret('k') },
    http,
    authorization: new Authorization(),
    clock,
    logger: createLogger('silent'),
    telemetry: () => ({ agent_id: 'a', agent_version: '1.0.0', gaps: [GAP] }),
    onTime: () => {},
    onGapsReported: (ids) => told.push(...ids),
    onSources: () => {},
    onRequeue: () => {},
    onUpdate: () => {},
    onWireVersions: () => {},
    sendOverMqtt: () => false,
    random: () => 0.999,
  })
  heartbeat.start()
  const waitMs = await promise
  await heartbeat.stop()
  return { waitMs, told }
}

it('the hub says when it wants to hear from the agent again, but never later than in an hour', async () => {
  expect(await after({ status: 402, body: directives })).toMatchObject({ waitMs: 120_000 })
  expect(await after({ status: 402, body: { ...directives, next_check_seconds: 31_536_000 } })).toMatchObject({
    waitMs: 3_600_000,
  })
})

it('gaps are told when the hub has said so, not when something between answers in its place', async () => {
  expect((await after({ status: 402, body: directives })).told).toEqual([GAP.gap_id])
  expect((await after({ status: 402, body: 'please log in to this network' })).told).toEqual([])
  expect((await after({ status: 401 })).told).toEqual([])
  expect((await after({ status: 503 })).told).toEqual([])
})
