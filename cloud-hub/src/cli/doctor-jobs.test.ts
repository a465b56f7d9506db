import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../config.ts'
import { createMetrics } from '../metrics.ts'
import { checkJobs, checkSealing } from './doctor-jobs.ts'

const HOUR = 3_600

/** Serves metrics of one job as a hub does. */
async function serve(fill: (metrics: ReturnType<typeof createMetrics>) => void) {
  const metrics = createMetrics()
  fill(metrics)
  const server = createServer(async (request, response) => {
    if (request.headers.authorization !== 'Bearer long-enough-a-token') return response.writeHead(401).end()
    response.end(await metrics.text())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return { HOST: '127.0.0.1', PORT: String((server.address() as AddressInfo).port) }
}
const token = { METRICS_TOKEN: 'long-enough-a-token' }

it('doctor shows the last run, duration and failures of each job that a hub lists', async () => {
  const env = await serve((metrics) => {
    for (const name of ['rollups', 'reports', 'mails']) metrics.listJob(name, HOUR)
    for (const isOk of [true, true, false]) metrics.observeJob('rollups', 0.25, isOk)
    metrics.observeJob('reports', 0.5, true)
  })
  const findings = await checkJobs(loadConfig({ ...env, ...token }), Date.now() / 1_000)
  expect(findings.map(({ check, state, detail }) => [check, state, detail.replace(/\d+ s ago/, 'N s ago')])).toEqual([
    ['job: rollups', 'warn', 'ended N s ago after 0.250 s; 1 of 3 runs failed: see the log for why'],
    ['job: reports', 'ok', 'ended N s ago after 0.500 s; 0 of 1 runs failed'],
    ['job: mails', 'ok', 'its first run has not ended yet'],
  ])
})

it('doctor warns of a job that has not ended for three intervals', async () => {
  const env = await serve((metrics) => {
    metrics.listJob('mails', HOUR)
    metrics.observeJob('mails', 0.1, true)
    // not listed: it runs only while there are streams
    metrics.observeJob('credentials of live streams', 0.1, true)
  })
  const config = loadConfig({ ...env, ...token })
  expect((await checkJobs(config, Date.now() / 1_000 + 3 * HOUR)).map(({ state }) => state)).toEqual(['ok', 'ok'])
  expect((await checkJobs(config, Date.now() / 1_000 + 3 * HOUR + 120)).map(({ state }) => state)).toEqual(['warn', 'ok'])
})

it('doctor says how to let it read metrics that a hub does not show', async () => {
  const env = await serve(() => {})
  expect(await checkJobs(loadConfig(env))).toEqual([
    { check: 'jobs', state: 'ok', detail: expect.stringMatching(/answers 401: set METRICS_TOKEN or METRICS_LISTEN$/) },
  ])
})

describe('checkSealing', () => {
  const text = (behind: number, failures = 0) =>
    `haltless_tail_readings 12\nhaltless_sealing_behind_seconds ${behind}\nhaltless_sealing_failures_total ${failures}\n`

  it('warns when an hour of ingest waits to be sealed, and of failures', () => {
    expect(checkSealing(text(3_600))).toMatchObject([{ state: 'ok', detail: '12 readings are not in blocks yet' }])
    expect(checkSealing(text(3_601))).toMatchObject([{ state: 'warn', detail: expect.stringContaining('overdue') }])
    expect(checkSealing(text(0, 2))).toMatchObject([{ state: 'warn', detail: expect.stringContaining('2 failures') }])
  })

  it('says nothing of a hub that does not seal', () => {
    expect(checkSealing(text(Number.NaN))).toEqual([])
    expect(checkSealing('')).toEqual([])
  })
})
