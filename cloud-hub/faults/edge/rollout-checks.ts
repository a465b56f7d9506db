import { until } from '../../test/processes.ts'
import type { RowContext } from '../row.ts'
import type { Fleet, FleetAgent, Rollout } from './fleet.ts'

/** The hub answers 600 requests of a user a minute. */
const POLL_MS = 500

/** Waits for the state of a rollout. @throws Error for any other state but `running` */
export async function untilRollout(context: RowContext, fleet: Fleet, id: string, state: string): Promise<Rollout> {
  let rollout = await fleet.rollout(id)
  const isThere = async () => {
    await context.sleep(POLL_MS)
    rollout = await fleet.rollout(id)
    context.say(`rollout: wave ${rollout.wave}, ${JSON.stringify(rollout.counts)}`)
    if (rollout.state !== state && rollout.state !== 'running')
      throw new Error(`the rollout is ${rollout.state} and not ${state}: ${rollout.reason}`)
    return rollout.state === state
  }
  await until(`the rollout is ${state}`, isThere, 240_000)
  return rollout
}

/** Waits until no updater runs and the hub knows how each update ended. */
export async function untilAtRest(context: RowContext, fleet: Fleet, id: string): Promise<void> {
  const underWay = ['waiting', 'downloading', 'verified', 'switched']
  const isAtRest = async () => {
    await context.sleep(POLL_MS)
    const { counts } = await fleet.rollout(id)
    context.say(`the updates that have begun end: ${JSON.stringify(counts)}`)
    return !fleet.agents.some(({ installed }) => installed.isUpdating) && !underWay.some((state) => (counts[state] ?? 0) > 0)
  }
  await until('every update that has begun has ended', isAtRest, 120_000)
}

/** Each of these agents runs the version, and has confirmed it. */
export function checkVersions(context: RowContext, agents: readonly FleetAgent[], version: string): void {
  for (const { id, installed } of agents) {
    const found = [
      installed.installation.linked('current'),
      installed.installation.linked('confirmed'),
      installed.status()?.version,
    ]
    if (found.some((each) => each !== version))
      context.reportFailure(`${id} should run ${version}: current, confirmed and running are ${found.join(', ')}`)
  }
}
