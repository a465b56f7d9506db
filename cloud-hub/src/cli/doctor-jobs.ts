import type { HubConfig } from '../config.ts'
import { type Finding, ok, warn } from './finding.ts'

/** A job without an end for three intervals and this long does not run any more. */
const LATE_SECONDS = 60
const ANSWER_MS = 5_000

/** What the running hub's metrics say of a job. */
interface JobRecord {
  /** null for a job that runs only at times, or whose owner states no interval */
  intervalSeconds: number | null
  runs: number
  failures: number
  /** of the last run; null before the first one ends */
  last: { seconds: number; endedAt: number } | null
}

/** Reports the last run, duration and failures of each background job, as the hub that runs with these settings shows them in `/metrics`. */
export async function checkJobs(config: HubConfig, nowSeconds = Date.now() / 1_000): Promise<Finding[]> {
  const { url, headers } = metricsAddress(config)
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => null)
  if (!answer?.ok) {
    const why = answer ? `answers ${answer.status}: set METRICS_TOKEN or METRICS_LISTEN` : 'does not answer'
    return [ok('jobs', `not shown, as ${url} ${why}`)]
  }
  const text = await answer.text()
  return [...[...parseJobRecords(text)].map(([name, record]) => findingOf(name, record, nowSeconds)), ...checkSealing(text)]
}

function metricsAddress({ metricsListen, metricsToken, host, port, tls }: HubConfig): {
  url: string
  headers: Record<string, string>
} {
  if (metricsListen) return { url: `http://${reachable(metricsListen.host)}:${metricsListen.port}/metrics`, headers: {} }
  const url = `${tls ? 'https' : 'http'}://${reachable(host)}:${port}/metrics`
  return { url, headers: metricsToken ? { authorization: `Bearer ${metricsToken.reveal()}` } : {} }
}

const reachable = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** @param text a Prometheus exposition */
export function parseJobRecords(text: string): Map<string, JobRecord> {
  const samples = [...text.matchAll(/^haltless_job_(\w+)\{name="([^"]+)"\} (\S+)$/gm)]
  const byJob = Map.groupBy(samples, ([, , name]) => name as string)
  const records = new Map<string, JobRecord>()
  for (const [name, its] of byJob) {
    const value = (metric: string) => its.flatMap(([, found, , number]) => (found === metric ? [Number(number)] : []))[0]
    const endedAt = value('last_run_timestamp_seconds')
    records.set(name, {
      intervalSeconds: value('interval_seconds') ?? null,
      runs: value('runs_total') ?? 0,
      failures: value('failures_total') ?? 0,
      last: endedAt === undefined ? null : { endedAt, seconds: value('last_duration_seconds') ?? 0 },
    })
  }
  return records
}

const MAX_BEHIND_SECONDS = 3_600

/** Reports whether sealing keeps up. @param text a Prometheus exposition; a hub without the worker role does not seal */
export function checkSealing(text: string): Finding[] {
  const value = (metric: string) => Number(new RegExp(`^haltless_${metric} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  const [behind, readings, failures] = [value('sealing_behind_seconds'), value('tail_readings'), value('sealing_failures_total')]
  if (Number.isNaN(behind) || Number.isNaN(readings)) return []
  const detail = `${readings} readings are not in blocks yet`
  if (behind > MAX_BEHIND_SECONDS)
    return [
      warn('sealing', `${detail}, an hour of ingest or more is overdue: the hub needs more CPU or a faster disk; see the log`),
    ]
  return [failures > 0 ? warn('sealing', `${detail}; ${failures} failures: see the log for why`) : ok('sealing', detail)]
}

function findingOf(name: string, { intervalSeconds, runs, failures, last }: JobRecord, nowSeconds: number): Finding {
  const check = `job: ${name}`
  if (!last) return ok(check, 'its first run has not ended yet')
  const age = Math.max(0, nowSeconds - last.endedAt)
  const counts = `${failures} of ${runs + failures} runs failed`
  const detail = `ended ${age.toFixed(0)} s ago after ${last.seconds.toFixed(3)} s; ${counts}`
  if (intervalSeconds !== null && age > 3 * intervalSeconds + LATE_SECONDS)
    return warn(check, `${detail}; it hangs, or its hub does: see the log`)
  return failures > 0 ? warn(check, `${detail}: see the log for why`) : ok(check, detail)
}
