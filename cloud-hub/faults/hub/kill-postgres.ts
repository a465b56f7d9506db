import { until } from '../../test/processes.ts'
import { asOwner, clusterProcesses, isOf } from '../hub-process.ts'
import type { FaultRow } from '../row.ts'
import { answerSummary, secondsRange } from '../sender.ts'
import { startHubAndStream } from '../stream.ts'

/** The kill hits the postmaster, or one backend, which makes the postmaster restart all of them. */
export const postgresKill: FaultRow = {
  name: 'postgres.kill',
  area: 'hub',
  what: 'kill -9 of PostgreSQL, or of one of its processes, while the hub runs and agents and programs send',
  async run(context) {
    const { hub, dataDir, database, sending, alarms, finish } = await startHubAndStream(context)
    const url = database.url()
    const kills = context.fullOrShort(10, 2)
    const back: number[] = []
    for (let kill = 1; kill <= kills; kill++) {
      context.say(`kill ${kill} of ${kills}: sending`)
      await sending.untilAccepted(5)
      await context.sleep(context.random.between(0, context.short ? 400 : 1_500))
      const postmaster = database.pid()
      const isWhole = kill % 2 === 1
      const killed = performance.now()
      process.kill(
        isWhole ? postmaster : context.random.pick(clusterProcesses(dataDir).filter((pid) => pid !== postmaster)),
        'SIGKILL',
      )
      context.say(`kill ${kill} of ${kills}: PostgreSQL restarts`)
      if (isWhole)
        await until('the supervisor starts PostgreSQL again', () => database.isThere() && database.pid() !== postmaster, 60_000)
      await until('PostgreSQL answers', () => asOwner(url, (sql) => sql`select 1`).catch(() => null), 60_000)
      await sending.untilAccepted(1)
      back.push((performance.now() - killed) / 1000)
      const strays = clusterProcesses(dataDir).filter((pid) => !isOf(pid, database.pid()))
      if (strays.length > 0) context.reportFailure(`processes of the killed PostgreSQL are still running: ${strays.join(', ')}`)
    }
    const counts = await finish(url)
    if (!sending.answers.has('503 database_away')) context.reportFailure('the hub never answered 503 database_away')
    if (database.url() !== url) context.reportFailure('PostgreSQL restarted at another address')
    await hub.stop()
    const alerts = `${alarms.crossings()} alerts, ${alarms.repeatedDeliveries()} delivered again`
    return { counts, note: `${kills} kills, stored again after ${secondsRange(back)}; ${alerts}; ${answerSummary(sending)}` }
  },
}
