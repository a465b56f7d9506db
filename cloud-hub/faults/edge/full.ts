import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { until } from '../../test/processes.ts'
import { storedReadings } from '../../test/support/stored-readings.ts'
import { asOwner } from '../hub-process.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { mountSmallDisk } from '../small-disk.ts'
import { type Site, startSite } from './site.ts'

/** Waits until the agent has dropped this many more readings. */
async function untilDropped(context: RowContext, site: Site, enough: number): Promise<void> {
  const [before, started] = [site.agent.counts().dropped, performance.now()]
  for (let more = 0; more < enough; more = site.agent.counts().dropped - before) {
    context.say(`disconnected and full: the agent has dropped ${(before + more).toLocaleString('en')} readings`)
    if (performance.now() - started > 120_000) throw new Error(`the agent dropped ${more} readings, too few`)
    await context.sleep(200)
  }
}

/** Checks for each series that the gaps which the hub reports equal the missing readings. */
async function checkGaps(context: RowContext, site: Site): Promise<void> {
  await asOwner(site.database.url(), async (sql) => {
    const { tenantId } = site.tenant
    const gaps = await sql<{ machine: string; metric: string; from: Date; to: Date; count: number; reason: string }[]>`
      select machine_identifier as machine, metric_name as metric, from_at as "from", to_at as "to", count::int, reason
      from data_gaps where tenant_id = ${tenantId} and collector is null`
    const stored = await storedReadings(sql, { tenantId })
    const there = new Set(stored.map(({ machine, metric, value }) => `${machine}/${metric}/${value}`))
    const faults: string[] = []
    for (const [key, number] of site.ledger.names()) {
      const [, machine, metric] = key.split('/')
      const missing = [...site.ledger.entries(number)].filter(
        ({ value, status }) => status !== 'in flight' && !there.has(`${machine}/${metric}/${value}`),
      )
      const told = gaps.filter((gap) => gap.machine === machine && gap.metric === metric)
      const count = told.reduce((sum, gap) => sum + gap.count, 0)
      if (count !== missing.length) faults.push(`${machine}/${metric} lacks ${missing.length} readings, its gaps count ${count}`)
      const outside = missing.filter((entry) => !told.some((gap) => +gap.to >= entry.from && +gap.from <= entry.to))
      if (outside.length > 0) faults.push(`${outside.length} readings of ${machine}/${metric} are missing outside of its gaps`)
      if (told.some(({ reason }) => reason !== 'disk_full')) faults.push(`a gap of ${machine}/${metric} has another reason`)
    }
    for (const fault of faults.slice(0, 3)) context.reportFailure(fault)
    if (faults.length > 3) context.reportFailure(`and ${faults.length - 3} more like these`)
  })
}

const FAST = { units: 4, tags: 60, nodes: 30, pollSeconds: 0.02 }
const SHORT = { units: 2, tags: 60, nodes: 0, pollSeconds: 0.02 }

export const edgeBufferFull: FaultRow = {
  name: 'edge.buffer-full',
  area: 'edge',
  mayDropReadings: true,
  what: 'the agent is disconnected until its buffer reaches its limit, drops the oldest readings and reports exactly which',
  async run(context) {
    const buffer = { max_megabytes: context.fullOrShort(1, 0.2) }
    const site = await startSite(context, { plant: context.short ? SHORT : FAST, agent: { buffer } })
    site.http.hold()
    site.mqtt.hold()
    await untilDropped(context, site, context.fullOrShort(20_000, 1_000))
    site.http.release()
    site.mqtt.release()
    await site.untilMoreStored()
    const found = await site.finish({ before: () => checkGaps(context, site) })
    return { ...found, note: `${found.declared.toLocaleString('en')} dropped` }
  },
}

/** Waits until no device has been asked for a second. */
async function untilQuiet(context: RowContext, site: Site): Promise<void> {
  await until(
    'the agent asks no device any more',
    async () => {
      const before = site.served()
      await context.sleep(1_000)
      return site.served() === before
    },
    120_000,
  )
}

export const edgeDropPolicies: FaultRow = {
  name: 'edge.drop-policies',
  area: 'edge',
  mayDropReadings: true,
  what: 'the same with the drop policy newest, which keeps what is stored, and with stop, which polls no device until there is room',
  async run(context) {
    const max_megabytes = context.fullOrShort(1, 0.2)
    const buffer = { max_megabytes, drop_policy: 'newest' }
    const site = await startSite(context, { plant: context.short ? SHORT : FAST, agent: { buffer } })
    site.http.hold()
    site.mqtt.hold()
    await untilDropped(context, site, context.fullOrShort(20_000, 1_000))
    site.http.release()
    site.mqtt.release()
    await site.untilMoreStored()
    await until('the buffer has room', () => site.agent.counts().buffered < 1_000)
    await site.stopAgent()
    const { dropped } = site.agent.counts()
    site.agent.configure({ max_megabytes, drop_policy: 'stop' })
    await site.agent.start()
    await site.untilMoreStored()
    site.http.hold()
    site.mqtt.hold()
    context.say('disconnected: the buffer fills until the agent stops polling')
    await untilQuiet(context, site)
    if (site.agent.logged('devices are not polled').length === 0)
      context.reportFailure('the agent asks no device, but does not say that its buffer is full')
    const served = site.served()
    site.http.release()
    site.mqtt.release()
    await until('the agent polls again', () => site.served() > served + 1_000)
    await site.untilMoreStored()
    if (site.agent.counts().dropped !== dropped) context.reportFailure('with the policy stop the agent dropped readings')
    const found = await site.finish({ before: () => checkGaps(context, site) })
    return { ...found, note: `${found.declared.toLocaleString('en')} dropped, all with newest` }
  },
}

export const edgeDiskFull: FaultRow = {
  name: 'edge.disk-full',
  area: 'edge',
  mayDropReadings: true,
  what: 'another program fills the disk of the disconnected agent, and the agent is killed meanwhile (short form: a disk of 1 MB)',
  async run(context) {
    const disk = mountSmallDisk(context, context.fullOrShort(16, 1))
    const site = await startSite(context, { plant: context.short ? SHORT : FAST, agent: { dataDir: path.join(disk, 'data') } })
    const ballast = path.join(disk, 'ballast')
    if (!context.short) {
      const { bavail, bsize } = statfsSync(disk)
      writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - 256 * 1_024), 1))
    }
    site.http.hold()
    site.mqtt.hold()
    await untilDropped(context, site, context.fullOrShort(20_000, 1_000))
    await site.killAgent()
    await untilDropped(context, site, context.fullOrShort(20_000, 1_000))
    const nothing = site.agent.logged('nothing can be written').length
    if (nothing > 0) context.reportFailure(`new readings were lost ${nothing} times where the oldest could have made room`)
    rmSync(ballast, { force: true })
    // the connections of the killed agent are gone, with all data on them
    site.http.release(false)
    site.mqtt.release(false)
    await site.untilMoreStored()
    const found = await site.finish({ before: () => checkGaps(context, site) })
    return {
      ...found,
      note: `${found.declared.toLocaleString('en')} dropped; ${found.counts.inFlight} in flight at the kill`,
    }
  },
}

export const edgeDiskReadOnly: FaultRow = {
  name: 'edge.disk-readonly',
  area: 'edge',
  what: 'the disk of the agent is read-only when it starts: it sends from memory, and moves what is left to the disk once that can be written',
  async run(context) {
    const disk = mountSmallDisk(context, 64)
    const remount = (how: 'ro' | 'rw') => execFileSync('mount', ['-o', `remount,${how}`, disk], { stdio: 'ignore' })
    context.defer(() => remount('rw'))
    const site = await startSite(context, { plant: SHORT, agent: { dataDir: path.join(disk, 'data') } })
    const rounds = context.fullOrShort(5, 1)
    for (let round = 1; round <= rounds; round++) {
      context.say(`read-only, ${round} of ${rounds}: with a hub`)
      await site.killAgent(() => remount('ro'))
      await site.untilMoreStored(2_000)
      context.say(`read-only, ${round} of ${rounds}: without a hub`)
      site.http.hold()
      site.mqtt.hold()
      await site.serve(context.fullOrShort(20_000, 2_000))
      remount('rw')
      await until(
        'the readings are on the disk',
        () => site.agent.logged('readings that were kept in memory are on it').length > 0,
      )
      site.http.release()
      site.mqtt.release()
      await site.untilMoreStored(2_000)
    }
    return site.finish()
  },
}
