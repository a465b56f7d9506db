import { FAULTS } from '../../../edge-agent/test/support/installed-agent/programs.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { FIRST_VERSION, type FleetAgent, type Rollout, startFleet } from './fleet.ts'
import { checkVersions, untilAtRest, untilRollout } from './rollout-checks.ts'

/** The version that is broken on some computers, and the one that works on all. */
const [BROKEN, GOOD] = ['1.1.0', '1.2.0']

/** The agents on whose computers version {@link BROKEN} does not work: none of the first wave, and a third of the others. */
const isBrokenOn = (index: number, firstWave: number) => index >= firstWave && index % 3 === 0
const faultOf = (index: number) => FAULTS[(index / 3) % FAULTS.length] as string

/** 100 agents take a version that does not work on some of them, and then one that does. */
export const updateRollout: FaultRow = {
  name: 'update.rollout',
  area: 'edge',
  what: '100 agents are updated in waves to a version that is broken for some of them, then to one that works',
  async run(context) {
    const size = context.fullOrShort(100, 9)
    const waves = context.short ? [1, 4] : [5, 20]
    const stopAfter = context.fullOrShort(3, 1)
    const [firstWave, secondWave] = waves as [number, number]
    const fleet = await startFleet(context, {
      agents: size,
      tags: 5,
      pollSeconds: 1,
      heartbeatSeconds: context.fullOrShort(5, 1),
      // a version that sends nothing is given up only after this
      confirmWithinMs: context.fullOrShort(45_000, 20_000),
      env: (index): Record<string, string> => (isBrokenOn(index, firstWave) ? { INSTALLED_AGENT_FAULT: faultOf(index) } : {}),
    })
    const { agents } = fleet
    context.say('starting the agents')
    for (const { installed } of agents) {
      installed.powerOn()
      await context.sleep(50)
    }
    await fleet.untilDelivered(agents)

    await fleet.addRelease(BROKEN, 1, true)
    const order = { wave_sizes: waves, spread_seconds: context.fullOrShort(5, 0), stop_after_failures: stopAfter }
    const first = await fleet.startRollout(BROKEN, agents, order)
    const stopped = await untilRollout(context, fleet, first, 'stopped')
    await untilAtRest(context, fleet, first)
    const taken = agents.slice(0, firstWave + secondWave)
    const [broken, fine] = [
      taken.filter((_, index) => isBrokenOn(index, firstWave)),
      taken.filter((_, index) => !isBrokenOn(index, firstWave)),
    ]
    checkStopped(context, await fleet.rollout(first), { broken, fine, later: agents.slice(taken.length), stopAfter })
    checkVersions(context, fine, BROKEN)
    checkVersions(context, [...broken, ...agents.slice(taken.length)], FIRST_VERSION)
    await fleet.untilDelivered(agents)
    await fleet.tenant.call('POST', `agent/rollouts/${first}/cancel`)

    await fleet.addRelease(GOOD, 2)
    const second = await fleet.startRollout(GOOD, agents, order)
    const completed = await untilRollout(context, fleet, second, 'completed')
    if (completed.counts.confirmed !== size)
      context.reportFailure(
        `${completed.counts.confirmed} of ${size} agents confirmed ${GOOD}: ${JSON.stringify(completed.counts)}`,
      )
    checkVersions(context, agents, GOOD)
    await fleet.untilDelivered(agents)
    const counts = await fleet.finish()
    const note = `${agents.length} agents; ${broken.length} went back by themselves, the rollout stopped after ${stopped.failures} failures in wave ${stopped.wave}`
    return { counts, note: `${note}; ${counts.inFlight} readings in flight at the switches` }
  },
}

interface Expected {
  broken: readonly FleetAgent[]
  fine: readonly FleetAgent[]
  later: readonly FleetAgent[]
  stopAfter: number
}

function checkStopped(context: RowContext, { agents, failures, reason }: Rollout, expected: Expected): void {
  const stateOf = (of: FleetAgent) => agents.find(({ agent_id }) => agent_id === of.id)?.state ?? 'missing'
  const { broken, fine, later, stopAfter } = expected
  if (failures < stopAfter) context.reportFailure(`the rollout stopped after ${failures} failures, before ${stopAfter}`)
  if (!reason) context.reportFailure('the rollout does not say why it stopped')
  // one that had not begun when the rollout stopped stays as it was
  for (const agent of broken)
    if (!['rolled_back', 'announced'].includes(stateOf(agent)))
      context.reportFailure(`${agent.id} has a broken version, and the hub shows it as ${stateOf(agent)}`)
  for (const agent of fine)
    if (stateOf(agent) !== 'confirmed') context.reportFailure(`${agent.id} has a version that works, and is ${stateOf(agent)}`)
  for (const agent of later)
    if (stateOf(agent) !== 'pending') context.reportFailure(`${agent.id} is of a later wave, and is ${stateOf(agent)}`)
  for (const { agent_id, state, reason: why } of agents)
    if (state === 'rolled_back' && !why) context.reportFailure(`${agent_id} was rolled back, and nothing says why`)
}
