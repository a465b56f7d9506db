import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { until } from '../../test/processes.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { FIRST_VERSION, type FleetAgent, startFleet } from './fleet.ts'
import { type HostileHub, startHostileHub } from './hostile-hub.ts'
import { checkVersions, untilRollout } from './rollout-checks.ts'
import { type Attack, attacksWith, CONFIRMED_SEQUENCE } from './update-attacks.ts'

const SHORT = ['foreign key', 'replayed older manifest', 'truncated archive', 'endless body without a length', 'path traversal']
const GOOD = '1.5.0'

/** An agent under attack. */
interface Victim {
  agent: FleetAgent
  hub: HostileHub
  attack: Attack
  installed: string
  startedAt: number | undefined
  /** the most that lay on its disk for updates, bytes */
  diskMax: number
}

export const updateHostile: FaultRow = {
  name: 'update.hostile',
  area: 'edge',
  what: 'the hub is in the hands of somebody else, who sends foreign, old, endless, damaged and malicious updates',
  async run(context) {
    const count = context.short ? SHORT.length : 26
    const hubs: HostileHub[] = []
    const fleet = await startFleet(context, {
      agents: count,
      tags: 5,
      pollSeconds: 0.5,
      heartbeatSeconds: 1,
      confirmWithinMs: 60_000,
      async hubUrl(index, hub) {
        hubs[index] = await startHostileHub(context, Number(new URL(hub.url).port))
        return hubs[index].url
      },
    })
    const { agents, programs } = fleet
    const elsewhere = await startElsewhere(context)
    const all = attacksWith(programs, elsewhere.url)
    const attacks = context.short ? all.filter(({ name }) => SHORT.includes(name)) : all
    if (attacks.length !== count) throw new Error(`${attacks.length} attacks need as many agents, and not ${count}`)
    context.say('starting the agents')
    for (const { installed } of agents) {
      installed.installation.writeState({ confirmed_sequence: CONFIRMED_SEQUENCE, progress: null })
      installed.powerOn()
      await context.sleep(50)
    }
    await fleet.untilDelivered(agents)

    const victims = agents.map((agent, index): Victim => {
      const [hub, attack] = [hubs[index] as HostileHub, attacks[index] as Attack]
      const { installed } = agent
      const startedAt = installed.status()?.startedAt
      return { agent, hub, attack, installed: contentOf(installed.installation.root), startedAt, diskMax: 0 }
    })
    const timer = setInterval(() => {
      for (const victim of victims) victim.diskMax = Math.max(victim.diskMax, diskOf(victim.agent))
    }, 100)
    context.defer(() => clearInterval(timer))
    for (const { hub, attack } of victims) hub.attack = attack
    await until(
      'every attack has ended',
      async () => {
        await context.sleep(200)
        const open = victims.filter((victim) => !hasEnded(victim))
        context.say(`attacks under way: ${open.map(({ attack }) => attack.name).join(', ')}`)
        return open.length === 0
      },
      context.fullOrShort(180_000, 90_000),
    ).catch(() => {
      for (const { attack, hub } of victims.filter((victim) => !hasEnded(victim)))
        context.reportFailure(
          `"${attack.name}" should end as ${attack.state} with ${attack.reason}: ${JSON.stringify(hub.report)}`,
        )
    })
    await fleet.untilDelivered(agents, 10)
    clearInterval(timer)
    for (const victim of victims) checkUnchanged(context, victim)
    if (elsewhere.requests() > 0) context.reportFailure(`${elsewhere.requests()} requests went to another server`)

    context.say('the hub is in good hands again')
    for (const { hub } of victims) hub.attack = null
    await fleet.addRelease(GOOD, 20)
    const order = { wave_sizes: [agents.length], spread_seconds: 0 }
    const { counts: states } = await untilRollout(context, fleet, await fleet.startRollout(GOOD, agents, order), 'completed')
    if (states.confirmed !== agents.length) context.reportFailure(`the next update ended so: ${JSON.stringify(states)}`)
    checkVersions(context, agents, GOOD)
    const counts = await fleet.finish()
    return { counts, note: `${attacks.length} attacks; then all took version ${GOOD}` }
  },
}

/** A server that no agent may ask. */
async function startElsewhere(context: RowContext): Promise<{ url: string; requests(): number }> {
  let requests = 0
  const server = createServer((_, outgoing) => {
    requests++
    outgoing.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  context.defer(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}/archive`, requests: () => requests }
}

function hasEnded({ attack, hub, agent }: Victim): boolean {
  if (attack.state === null) return agent.installed.out.includes('in a form that this version cannot read')
  const { state, reason = '' } = hub.report ?? {}
  return state === attack.state && (state === 'refused' || hub.downloads > 0) && attack.reason.test(reason)
}

function checkUnchanged(context: RowContext, { agent, attack, installed, startedAt, diskMax }: Victim): void {
  const { installation } = agent.installed
  const report = (what: string) => context.reportFailure(`"${attack.name}" ${what}`)
  if (contentOf(installation.root) !== installed) report('changed the installation')
  if (agent.installed.status()?.version !== FIRST_VERSION) report(`left version ${agent.installed.status()?.version} running`)
  if (agent.installed.status()?.startedAt !== startedAt) report('restarted the agent')
  if (diskMax > attack.diskMax) report(`filled ${Math.ceil(diskMax / 2 ** 20)} MB of the disk`)
}

/** Everything below a folder, but for what the updater writes down about its work. */
function contentOf(root: string): string {
  const hash = createHash('sha256')
  for (const name of namesBelow(root)) {
    if (name === 'update' || name === 'update/state.json') continue
    const stats = lstatSync(path.join(root, name))
    const content = stats.isFile() ? readFileSync(path.join(root, name)) : ''
    hash.update(`${name} ${stats.mode} ${stats.isSymbolicLink() ? readlinkSync(path.join(root, name)) : ''} `).update(content)
  }
  return hash.digest('hex')
}

const namesBelow = (folder: string): string[] => {
  try {
    return (readdirSync(folder, { recursive: true }) as string[]).sort()
  } catch {
    // what the updater removes meanwhile
    return []
  }
}

/** Bytes of what was downloaded, copied and unpacked. */
function diskOf({ installed }: FleetAgent): number {
  const folders = [path.join(installed.dataDir, 'incoming'), installed.installation.updateFile('.')]
  return folders
    .flatMap((folder) => namesBelow(folder).map((name) => path.join(folder, name)))
    .reduce((sum, name) => sum + (lstatSync(name, { throwIfNoEntry: false })?.size ?? 0), 0)
}
