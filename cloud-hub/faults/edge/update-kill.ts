import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type { UnflushedNames } from '../../../edge-agent/test/support/installed-agent/unflushed.ts'
import type { FaultRow } from '../row.ts'
import { FIRST_VERSION, type FleetAgent, startFleet } from './fleet.ts'
import { losePower } from './power-loss.ts'
import { checkVersions, untilRollout } from './rollout-checks.ts'

/** Some agents get a version that reads nothing on their computers, so that they go back. */
const [MIXED, GOOD] = ['1.1.0', '1.2.0']

/** What ends, and when. */
interface Scenario {
  /** of the agent (`downloading`, `handed over`) or of the updater */
  step: string
  /** `power lost`: with the names that were not flushed; `power`: without their content */
  victim: 'agent' | 'updater' | 'power' | 'power lost'
  goesBack: boolean
}

const scenarios = (steps: readonly string[], victims: readonly Scenario['victim'][], goesBack = false): Scenario[] =>
  steps.flatMap((step) => victims.map((victim) => ({ step, victim, goesBack })))

const POWER = ['power', 'power lost'] as const
const ALL: readonly Scenario[] = [
  ...scenarios(['downloading', 'handed over'], ['agent', 'power']),
  ...scenarios(['copied', 'unpacked', 'decided', 'switched', 'restarted'], ['agent', 'updater', ...POWER]),
  ...scenarios(['confirmed', 'finished'], ['updater', ...POWER]),
  ...scenarios(['unpacked'], ['power lost'], true),
  ...scenarios(['restarted', 'rolling back', 'switched back', 'finished'], ['updater', ...POWER], true),
]
const SHORT: readonly Scenario[] = [
  ...scenarios(['downloading'], ['power']),
  ...scenarios(['unpacked', 'switched'], ['power lost']),
  ...scenarios(['restarted'], ['updater']),
  ...scenarios(['switched back'], ['power lost'], true),
]

export const updateKill: FaultRow = {
  name: 'update.kill',
  area: 'edge',
  what: 'agent and updater are killed, and the power goes, at every step of an update that succeeds and of one that is taken back',
  async run(context) {
    const chosen = context.short ? SHORT : ALL
    const scenarioOf = new Map<FleetAgent, Scenario>()
    const killed = new Set<FleetAgent>()
    let torn = 0
    const cut = (agent: FleetAgent) => () => {
      torn += losePower(agent.installed.dataDir, context.random)
    }
    const fleet = await startFleet(context, {
      agents: chosen.length,
      tags: 5,
      pollSeconds: 0.5,
      heartbeatSeconds: 1,
      confirmWithinMs: context.fullOrShort(90_000, 20_000),
      settledMs: 2_000,
      // the download takes some seconds, so that it can be interrupted
      settings: { updates: { max_kilobytes_per_second: 200 } },
      env: (index): Record<string, string> => (chosen[index]?.goesBack ? { INSTALLED_AGENT_FAULT: 'reads nothing' } : {}),
      onStep(agent, step) {
        const scenario = scenarioOf.get(agent)
        if (scenario?.victim !== 'agent' || scenario.step !== step || killed.has(agent)) return
        killed.add(agent)
        agent.installed.killAgent()
      },
    })
    const { agents } = fleet
    context.say('starting the agents')
    for (const [index, agent] of agents.entries()) {
      const scenario = chosen[index] as Scenario
      scenarioOf.set(agent, scenario)
      plan(agent, scenario, cut(agent))
      agent.installed.powerOn()
      await context.sleep(50)
    }
    await fleet.untilDelivered(agents)

    await fleet.addRelease(MIXED, 1, true)
    const order = { wave_sizes: [agents.length], spread_seconds: 0, stop_after_failures: agents.length }
    const first = await fleet.startRollout(MIXED, agents, order)
    const watch = setInterval(() => {
      for (const [agent, scenario] of scenarioOf)
        if (!killed.has(agent) && isAt(agent, scenario.step)) {
          killed.add(agent)
          if (scenario.victim === 'agent') agent.installed.killAgent()
          else void agent.installed.cutPower(cut(agent))
        }
    }, 20)
    context.defer(() => clearInterval(watch))
    const ended = await untilRollout(context, fleet, first, 'completed')
    clearInterval(watch)
    for (const [agent, scenario] of scenarioOf) {
      const name = `${agent.id} (${scenario.victim} at "${scenario.step}"${scenario.goesBack ? ', goes back' : ''})`
      if (!killed.has(agent) && agent.installed.deaths === 0) context.reportFailure(`${name} was never interrupted`)
      const { state, reason } = ended.agents.find(({ agent_id }) => agent_id === agent.id) ?? {}
      if (state !== (scenario.goesBack ? 'rolled_back' : 'confirmed'))
        context.reportFailure(`${name} is ${state} in the hub: ${reason}`)
    }
    const [back, forth] = [true, false].map((goesBack) => agents.filter((agent) => scenarioOf.get(agent)?.goesBack === goesBack))
    checkVersions(context, back ?? [], FIRST_VERSION)
    checkVersions(context, forth ?? [], MIXED)
    await fleet.untilDelivered(agents)

    // a second attempt works
    await fleet.addRelease(GOOD, 2)
    const { counts: states } = await untilRollout(context, fleet, await fleet.startRollout(GOOD, agents, order), 'completed')
    if (states.confirmed !== agents.length) context.reportFailure(`the next update ended so: ${JSON.stringify(states)}`)
    checkVersions(context, agents, GOOD)
    await fleet.untilDelivered(agents)
    const counts = await fleet.finish()
    const note = `${agents.length} interruptions, ${torn} pages of buffers half written; ${counts.inFlight} readings in flight`
    return { counts, note }
  },
}

/** What the updater of an agent does to itself. */
function plan(agent: FleetAgent, { step, victim }: Scenario, onPowerCut: () => void): void {
  if (victim === 'agent' || isOfAgent(step)) return
  const names: UnflushedNames = victim === 'power lost' ? 'lost' : 'arrived'
  agent.installed.nextDeath = victim === 'updater' ? { step } : { step, names, onPowerCut }
}

const isOfAgent = (step: string) => step === 'downloading' || step === 'handed over'

/** Whether an agent is at a step of its own. */
function isAt({ installed }: FleetAgent, step: string): boolean {
  const incoming = path.join(installed.dataDir, 'incoming')
  if (!isOfAgent(step) || !existsSync(incoming)) return false
  const names = readdirSync(incoming)
  return step === 'downloading' ? names.some((name) => name.endsWith('.part')) : names.includes('request.json')
}
