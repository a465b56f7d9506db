import { setTimeout as sleep } from 'node:timers/promises'
import { startLocalBroker } from '../../../edge-agent/test/support/local-broker.ts'
import { metric, SparkplugPublisher } from '../../../edge-agent/test/support/sparkplug-publisher.ts'
import { until } from '../../test/processes.ts'
import { countStored } from '../../test/support/stored-readings.ts'
import { asOwner } from '../hub-process.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { type Site, startSite } from './site.ts'

const GROUP = 'faults'
const NODE = 'edge-1'
const DEVICE = 'press'
const METRICS = ['a', 'b', 'c']
/** Until the agent knows the time of its hub, it dates readings by their arrival. */
const BLUR_MS = 5_000

/** A node whose values are unique in their series, and whose aliases change with every birth. */
class CountingNode {
  readonly #site: Site
  readonly #port: number
  #node: SparkplugPublisher | null = null
  #value = 0
  #births = 0
  #lastAt = 0
  /** series, values and their times go into the ledger before they are sent */
  sent = 0

  constructor(site: Site, port: number) {
    this.#site = site
    this.#port = port
  }

  get rebirths(): number {
    return this.#node?.rebirths ?? 0
  }

  async start(): Promise<void> {
    const node = new SparkplugPublisher(this.#port, GROUP, NODE, { '': [], [DEVICE]: [] })
    this.#node = node
    // each birth has values of its own, which are taken in the moment of the birth
    const { birth } = node
    node.birth = () => {
      this.#births++
      node.births.set(DEVICE, this.#metrics(true))
      birth.call(node)
    }
    await node.connected()
  }

  #alias = (index: number) => 1 + ((index + this.#births) % METRICS.length)

  #metrics(isBirth: boolean) {
    const { ledger, tenant } = this.#site
    const at = Math.max(Date.now(), this.#lastAt + 1)
    this.#lastAt = at
    return METRICS.map((name, index) => {
      const value = ++this.#value
      const series = ledger.series({ tenantId: tenant.tenantId, machine: 'm0', metric: `spark_${name}`, unit: 'celsius' })
      ledger.write([{ series, value, from: at, to: at + BLUR_MS }])
      this.sent++
      return metric(isBirth ? name : '', value, { timestamp: at, alias: this.#alias(index) })
    })
  }

  publish(): void {
    this.#node?.data(DEVICE, this.#metrics(false))
  }

  /** Messages that never reach the broker. */
  lose(count: number): void {
    this.#node?.lose(count)
  }

  /** What it sent has left it; then it ends without a word. */
  async die(): Promise<void> {
    await sleep(200)
    this.#node?.die()
    this.#node = null
  }
}

/** What the status of the agent says about the tags of the node. */
const saysOffline = (site: Site) =>
  site.agent.logged('"tag cannot be read"').filter((line) => line.includes(`the node ${NODE} is offline`)).length

async function round(context: RowContext, site: Site, node: CountingNode): Promise<void> {
  const before = saysOffline(site)
  for (let n = context.random.whole(10, 30); n > 0; n--) {
    node.publish()
    await context.sleep(context.random.between(1, 40))
  }
  await node.die()
  await until('the agent notices that the node died', () => saysOffline(site) >= before + METRICS.length, 30_000)
  await context.sleep(context.random.between(0, context.short ? 300 : 2_000))
  await node.start()
}

/** Messages that the hub reports as missing. */
const reportedLost = (site: Site) =>
  asOwner(site.database.url(), async (sql) => {
    const [row] = await sql<{ n: number }[]>`
      select coalesce(sum(count), 0)::int as n from data_gaps
      where tenant_id = ${site.tenant.tenantId} and collector = 'sparkplug' and reason = 'no_answer'`
    return row?.n ?? 0
  })

export const edgeSparkplug: FaultRow = {
  name: 'edge.sparkplug',
  area: 'edge',
  what: 'a Sparkplug node dies and returns with other aliases, and messages of it are lost',
  isMostlyIdle: true,
  async run(context) {
    const broker = await startLocalBroker([], context.dir)
    context.defer(() => broker.remove())
    const source = {
      name: 'sparkplug',
      protocol: 'sparkplug',
      machine_identifier: 'm0',
      host: '127.0.0.1',
      port: broker.port,
      // values that are repeated would be two readings of one value
      poll_interval_seconds: 3_600,
      group: GROUP,
      metrics: METRICS.map((name) => ({
        node: NODE,
        device: DEVICE,
        metric: name,
        metric_name: `spark_${name}`,
        unit: 'celsius',
      })),
    }
    const site = await startSite(context, { plant: { units: 1, tags: 1, nodes: 0 }, collectors: [source] })
    // Connected, and without a birth no tag has a value yet.
    const runs = (line: string) => line.includes('"collector":"sparkplug"') && /"state":"(?:running|failing)"/.test(line)
    await until('the agent watches the broker', () => site.agent.logged('collector status').some(runs))
    const node = new CountingNode(site, broker.port)
    await node.start()
    const { tenantId } = site.tenant
    const stored = () =>
      asOwner(site.database.url(), async (sql) => {
        const counts = await Promise.all(METRICS.map((name) => countStored(sql, { tenantId, metric: `spark_${name}` })))
        return counts.reduce((sum, count) => sum + count, 0)
      })
    const rounds = context.fullOrShort(20, 2)
    for (let n = 1; n <= rounds; n++) {
      context.say(`the node dies, ${n} of ${rounds}`)
      await round(context, site, node)
    }
    context.say('messages are lost')
    // the message behind the gap names no metric: what its aliases mean now is not known, and the birth that follows says it
    const lost = context.random.whole(1, 200)
    const asked = node.rebirths
    await context.sleep(500)
    await until('all that was sent is stored', async () => (await stored()) === node.sent, 60_000)
    node.lose(lost)
    node.publish()
    for (const name of METRICS) {
      const series = site.ledger.series({ tenantId, machine: 'm0', metric: `spark_${name}`, unit: 'celsius' })
      site.ledger.markFrom('refused', series, node.sent - METRICS.length + 1)
    }
    await until('the node is asked for its birth', () => node.rebirths > asked, 30_000)
    for (let n = 0; n < 10; n++) node.publish()
    await until('all that was sent since is stored', async () => (await stored()) === node.sent - METRICS.length, 60_000)
    // the agent reports gaps once they are ten minutes old, or when it ends
    await site.stopAgent()
    await site.agent.start()
    const reported = await until(
      'the gap is reported',
      async () => (await reportedLost(site)) === lost + 1 && lost + 1,
      30_000,
    ).catch(() => reportedLost(site))
    if (reported !== lost + 1)
      context.reportFailure(`${lost + 1} messages were lost or had no name, and the gaps of the hub count ${reported}`)
    const found = await site.finish()
    return { ...found, note: `${rounds} deaths, ${node.sent} values, ${lost} lost messages in a gap` }
  },
}
