import path from 'node:path'
import { type Comparison, EMPTY_COMPARISON } from './compare.ts'
import { embeddedDatabase, type HubProcess, hubProcess } from './hub-process.ts'
import type { RowContext } from './row.ts'
import { prepareShared } from './shared.ts'
import type { Tenant } from './tenant.ts'
import { mqttTransport, type Transport } from './transports.ts'

/** A hub with a database of its own, and the broker between it and its agents. */
export interface HubAtBroker {
  broker: 'embedded broker' | 'Mosquitto'
  /** not started yet */
  hub: HubProcess
  databaseUrl(): string
  /** connects that many agents, which are closed at the end */
  agents(tenant: Pick<Tenant, 'tenantId' | 'keys'>, count: number, receiptMs?: number): Transport[]
}

const namesOf = (count: number) => Array.from({ length: count }, (_, i) => `line-${i}`)

async function atEmbeddedBroker(context: RowContext): Promise<HubAtBroker> {
  const hub = await hubProcess(context)
  return {
    broker: 'embedded broker',
    hub,
    databaseUrl: () => embeddedDatabase(path.join(context.dir, 'hub')).url(),
    agents: ({ tenantId, keys }, count, receiptMs) =>
      namesOf(count).map((agentId) => mqttTransport(hub.mqttUrl, { tenantId, agentId, password: keys[0] as string }, receiptMs)),
  }
}

async function atMosquitto(context: RowContext): Promise<HubAtBroker> {
  const { database, mosquitto, env } = await prepareShared(context)
  const hub = await hubProcess(context, { ...env, DATA_DIR: path.join(context.dir, 'hub-at-mosquitto') })
  return {
    broker: 'Mosquitto',
    hub,
    databaseUrl: () => database.url,
    agents({ tenantId }, count, receiptMs) {
      const password = 'agent-password'
      const usernameOf = (agentId: string) => `${tenantId}/${agentId}`
      mosquitto.users(namesOf(count).map(usernameOf), password)
      return namesOf(count).map((agentId) =>
        mqttTransport(mosquitto.url, { tenantId, agentId, username: usernameOf(agentId), password }, receiptMs),
      )
    },
  }
}

/** Runs the same on both brokers, one after the other. @returns the sum of what was compared, and a note for each broker */
export async function onBothBrokers(
  context: RowContext,
  run: (at: HubAtBroker) => Promise<{ counts: Comparison; note: string }>,
): Promise<{ counts: Comparison; note: string }> {
  const counts: Comparison = { ...EMPTY_COMPARISON, examples: [] }
  const notes: string[] = []
  for (const prepare of [atEmbeddedBroker, atMosquitto]) {
    const at = await prepare(context)
    const agents: Transport[] = []
    const close = () => Promise.all(agents.splice(0).map((agent) => agent.close()))
    context.defer(close)
    const connect: HubAtBroker['agents'] = (...args) => {
      agents.push(...at.agents(...args))
      return [...agents]
    }
    const found = await run({ ...at, agents: connect })
    await close()
    await at.hub.stop()
    const { examples, ...numbers } = found.counts
    for (const name of Object.keys(numbers) as (keyof typeof numbers)[]) counts[name] += numbers[name]
    counts.examples.push(...examples)
    notes.push(`${at.broker}: ${found.note}`)
  }
  return { counts, note: notes.join('; ') }
}
