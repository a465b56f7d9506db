import { type BenchRow, fullOrShort, runRows, seconds } from '@haltless/protocol/bench'
import { addMachines, type BenchHub, fetchText, readAgent, startBenchHub } from './environment.ts'

const [REQUESTS, USERS, LIMIT_MS] = [fullOrShort(200, 10), 10, 30]
const SIZE = fullOrShort(10_000, 500)

/** A company with as many machines as alerts and work orders. */
async function startCompany(): Promise<BenchHub> {
  const hub = await startBenchHub({ users: USERS }, { LOG_LEVEL: 'info' })
  const { owner, tenantId, userId } = hub
  await addMachines(hub, 0, SIZE)
  await owner`
    insert into alerts (tenant_id, machine_id, severity, metric_name, unit, trigger_value, threshold_value, message, comparison, triggered_at, created_at)
    select ${tenantId}, id, 'warning', 'vibration', 'mm/s', 4.6, 4.5, 'vibration is above 4.5 mm/s', '>', at, at
    from (select id, now() - row_number() over (order by id) * interval '4 minutes' as at from machines where tenant_id = ${tenantId}) m`
  await owner`
    insert into work_orders (tenant_id, machine_id, title, created_by)
    select ${tenantId}, id, 'Replace the bearing', ${userId} from machines where tenant_id = ${tenantId}`
  await owner`update users set role = 'admin' where tenant_id = ${tenantId} and email like 'bench-%'`
  await owner`vacuum analyze`
  await hub.renewTokens()
  return hub
}

/** The median of single requests, because a person waits for each. */
const row = (name: string, words: readonly string[]): BenchRow => ({
  row: name,
  against: `the limit of ${LIMIT_MS} ms`,
  unit: `milliseconds, p50 of ${REQUESTS} answers among ${SIZE.toLocaleString('en')} machines, alerts and work orders`,
  prepare: async () => {
    const hub = await startCompany()
    let asked = 0
    const ours = async () => {
      const took: number[] = []
      for (let i = 0; i < REQUESTS; i++) {
        const path = `/search?q=${encodeURIComponent(words[i % words.length] as string)}`
        const token = hub.tokens[asked++ % USERS] as string
        took.push((await seconds(() => fetchText(`${hub.url}/api/v1${path}`, token))) * 1_000)
      }
      return took.toSorted((a, b) => a - b)[Math.floor(REQUESTS / 2)] as number
    }
    return { ours, theirs: () => LIMIT_MS, close: () => hub.close() }
  },
})

await runRows(
  [row('search.few', ['machine 99', 'bearing 42', 'vibration 7']), row('search.many', ['m', 'machine', 'b'])],
  process.argv.slice(2),
)
readAgent.destroy()
