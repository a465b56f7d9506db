import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchRow, fullOrShort, runRows } from '@haltless/protocol/bench'
import { insertCompany } from '../test/support/company.ts'
import { type BenchHub, onHub, startBenchHub } from './environment.ts'

const SIZE = { tenants: fullOrShort(10_000, 200), machines: 10, series: 4 }
/** At most this part of a core, in percent, and this long a statement. */
const [MAX_PERCENT, MAX_MS] = [5, 300]
/** The CPU time of the jobs that run at least once a minute is measured for so long. */
const MEASURED_SECONDS = fullOrShort(120, 10)
/** All jobs have run within this after the start. */
const FIRST_RUNS_MS = 600_000
const SAMPLE_MS = 20
const DAY_MS = 86_400_000
/** of /proc/PID/stat. Source: proc(5); USER_HZ is 100 on every platform that the hub runs on */
const TICKS_PER_SECOND = 100

interface Idle {
  percent: number
  slowestMs: number
}

/** CPU seconds of a process, with those of children that have ended. Its name may hold spaces. */
function cpuSeconds(pid: number): { seconds: number; parent: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  const [user, system, ofChildren, systemOfChildren] = fields.slice(11, 15).map(Number) as [number, number, number, number]
  return { seconds: (user + system + ofChildren + systemOfChildren) / TICKS_PER_SECOND, parent: Number(fields[1]) }
}

/** CPU seconds of the hub, and of PostgreSQL with its sessions (Linux only). */
function usedSeconds({ pid, postgresPid }: BenchHub): number {
  let sum = cpuSeconds(pid).seconds + cpuSeconds(postgresPid).seconds
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const { seconds, parent } = cpuSeconds(Number(name))
      if (parent === postgresPid) sum += seconds
    } catch {
      // it has ended meanwhile
    }
  }
  return sum
}

interface Job {
  name: string
  intervalSeconds: number
  runs: number
  failures: number
  lastSeconds: number
}

/** The jobs of the hub, from its metrics. */
async function jobsOf({ url }: BenchHub): Promise<Job[]> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const figures = (metric: string) =>
    new Map(
      [...text.matchAll(new RegExp(`^${metric}\\{name="([^"]+)"\\} (.+)$`, 'gm'))].map(([, name, value]) => [
        name as string,
        Number(value),
      ]),
    )
  const [runs, failures, seconds] = [
    figures('haltless_job_runs_total'),
    figures('haltless_job_failures_total'),
    figures('haltless_job_last_duration_seconds'),
  ]
  return [...figures('haltless_job_interval_seconds')].map(([name, intervalSeconds]) => ({
    name,
    intervalSeconds,
    runs: runs.get(name) ?? 0,
    failures: failures.get(name) ?? 0,
    lastSeconds: seconds.get(name) ?? 0,
  }))
}

/** How long the longest statement of a hub has been seen to run, in milliseconds, until all jobs have run. */
async function watchFirstRuns(hub: BenchHub): Promise<{ jobs: Job[]; slowestMs: number }> {
  let slowestMs = 0
  for (const end = performance.now() + FIRST_RUNS_MS; performance.now() < end; ) {
    for (const checked = performance.now() + 1_000; performance.now() < checked; await sleep(SAMPLE_MS)) {
      const [row] = await hub.owner<{ ms: number; query: string }[]>`
        select (extract(epoch from clock_timestamp() - query_start) * 1000)::float8 as ms, query from pg_stat_activity
        where state = 'active' and application_name like 'haltless %' order by 1 desc limit 1`
      if (!row || row.ms <= slowestMs) continue
      slowestMs = row.ms
      if (process.env.BENCH_JOBS)
        process.stderr.write(`${Math.round(row.ms)} ms: ${row.query.replace(/\s+/g, ' ').slice(0, 200)}\n`)
    }
    const jobs = await jobsOf(hub)
    const failed = jobs.find(({ failures }) => failures > 0)
    if (failed) throw new Error(`the job "${failed.name}" failed`)
    if (jobs.length > 0 && jobs.every(({ runs }) => runs > 0)) return { jobs, slowestMs }
  }
  throw new Error('not all jobs have run within ten minutes')
}

/**
 * What the jobs of an idle company take: the CPU time of frequent jobs and workers is measured, and a run of each other job counts with
 * its whole duration by its interval. `BENCH_JOBS` prints each job.
 */
async function measureIdle(hub: BenchHub): Promise<Idle> {
  await hub.restart()
  const { jobs, slowestMs } = await watchFirstRuns(hub)
  const rare = jobs.filter(({ intervalSeconds }) => intervalSeconds > 60)
  const before = usedSeconds(hub)
  await sleep(MEASURED_SECONDS * 1_000)
  const frequent = (usedSeconds(hub) - before) / MEASURED_SECONDS
  const share = rare.reduce((sum, { lastSeconds, intervalSeconds }) => sum + lastSeconds / intervalSeconds, frequent)
  if (process.env.BENCH_JOBS) for (const job of await jobsOf(hub)) process.stderr.write(`${JSON.stringify(job)}\n`)
  return { percent: 100 * share, slowestMs }
}

let shared: Promise<{ hub: BenchHub; idle: Idle }> | null = null
/** One company for both rows, and one measurement. */
const measured = () =>
  (shared ??= onHub(startBenchHub(), async (hub) => {
    const now = new Date()
    // the hub would look at the rows while they come
    await insertCompany(hub.owner, SIZE, now, new Date(now.getTime() - 30 * DAY_MS))
    await hub.owner.unsafe('vacuum analyze')
    return { hub, idle: await measureIdle(hub) }
  }))

const row = (name: string, against: string, unit: string, figure: keyof Idle, bound: number): BenchRow => ({
  row: name,
  against,
  unit,
  rounds: 1,
  prepare: async () => {
    const { idle } = await measured()
    return { ours: () => idle[figure], theirs: () => bound }
  },
})
const company = `${SIZE.tenants.toLocaleString('en')} tenants and ${(SIZE.tenants * SIZE.machines).toLocaleString('en')} machines without traffic`

try {
  await runRows(
    [
      row(
        'jobs.idle',
        `${MAX_PERCENT} % of a core`,
        `percent of a core that the jobs of the hub take, with PostgreSQL, for ${company}`,
        'percent',
        MAX_PERCENT,
      ),
      row('jobs.statement', `${MAX_MS} ms`, `milliseconds of the longest statement of these jobs`, 'slowestMs', MAX_MS),
    ],
    process.argv.slice(2),
  )
} finally {
  await (await (shared as Promise<{ hub: BenchHub }> | null)?.catch(() => null))?.hub.close()
}
