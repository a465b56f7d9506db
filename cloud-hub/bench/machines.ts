import { fullOrShort, runRows, seconds } from '@haltless/protocol/bench'
import { addMachines, fetchText, readAgent, runConcurrently, startBenchHub } from './environment.ts'

const [REQUESTS, USERS, MACHINES] = [fullOrShort(400, 40), 40, fullOrShort(10_000, 500)]

await runRows(
  [
    {
      row: 'machines.list',
      against: 'the same page of 20 and the same count of 10,000 machines by two queries through postgres.js',
      unit: 'milliseconds per answer, 8 at a time',
      prepare: async () => {
        const hub = await startBenchHub({ users: USERS }, { LOG_LEVEL: 'info' })
        await addMachines(hub, 0, MACHINES)
        await hub.owner`analyze`
        const page = (i: number) => 1 + ((i * 37) % (MACHINES / 20))
        const timed = (work: (i: number) => Promise<unknown>) => async () =>
          ((await seconds(() => runConcurrently(REQUESTS, 8, work))) * 1_000) / REQUESTS
        let asked = 0
        return {
          ours: timed((i) => fetchText(`${hub.url}/api/v1/machines?page=${page(i)}`, hub.tokens[asked++ % USERS] as string)),
          theirs: timed((i) =>
            Promise.all([
              hub.owner`select * from machines where tenant_id = ${hub.tenantId} and is_active
                order by name collate natural_order, id limit 20 offset ${(page(i) - 1) * 20}`,
              hub.owner`select count(*) from machines where tenant_id = ${hub.tenantId} and is_active`,
            ]),
          ),
          close: () => hub.close(),
        }
      },
    },
  ],
  process.argv.slice(2),
)
readAgent.destroy()
