import { appendFileSync, copyFileSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { until } from '../../test/processes.ts'
import { countStored } from '../../test/support/stored-readings.ts'
import { asOwner } from '../hub-process.ts'
import type { FaultRow, RowContext } from '../row.ts'
import { type Site, startSite } from './site.ts'

type Rotation = 'rename' | 'copy'

const HEADER = 'time;value\n'
const LINES_AT_ONCE = 40
/** Rotated files that are left, as logrotate does. */
const KEPT = 20

/**
 * A program that writes a log, each line in two halves, and rotates it. `single` is named alone in the settings, so each rotation of it must be noticed; of
 * `many` the rotated files are named too.
 */
class Log {
  readonly metric: string
  readonly #file: string
  readonly #site: Site
  readonly #rotation: Rotation
  #written = 0
  #at = Date.now() - 3_600_000
  #half = ''

  constructor(site: Site, file: string, metric: string, rotation: Rotation) {
    this.metric = metric
    this.#site = site
    this.#file = file
    this.#rotation = rotation
  }

  get written(): number {
    return this.#written
  }

  /** The values are in the ledger before they are in the file. */
  write(lines: number): void {
    const { ledger, tenant } = this.#site
    const series = ledger.series({ tenantId: tenant.tenantId, machine: 'm0', metric: this.metric, unit: 'celsius' })
    const entries = Array.from({ length: lines }, () => {
      this.#at += 7
      return { series, value: ++this.#written, from: this.#at, to: this.#at }
    })
    ledger.write(entries)
    for (const { value, from } of entries) {
      const line = `${new Date(from).toISOString()};${value}\n`
      const cut = Math.floor(line.length / 2) + (value % 7)
      appendFileSync(this.#file, this.#half + line.slice(0, cut))
      this.#half = line.slice(cut)
    }
  }

  /** The line under way is completed, and the next one begins in a new file. */
  rotate(): void {
    appendFileSync(this.#file, this.#half)
    this.#half = ''
    rmSync(`${this.#file}.${KEPT}`, { force: true })
    for (let n = KEPT - 1; n > 0; n--)
      try {
        renameSync(`${this.#file}.${n}`, `${this.#file}.${n + 1}`)
      } catch {
        // there are not so many yet
      }
    if (this.#rotation === 'rename') renameSync(this.#file, `${this.#file}.1`)
    else {
      copyFileSync(this.#file, `${this.#file}.1`)
      truncateSync(this.#file)
    }
    appendFileSync(this.#file, HEADER)
  }

  finish(): void {
    appendFileSync(this.#file, this.#half)
    this.#half = ''
  }

  async untilStored(limitMs = 120_000): Promise<void> {
    const { tenantId } = this.#site.tenant
    const count = () =>
      asOwner(this.#site.database.url(), (sql) => countStored(sql, { tenantId, metric: this.metric })).catch(() => 0)
    await until(`all ${this.#written} lines of ${this.metric} are stored`, async () => (await count()) >= this.#written, limitMs)
  }
}

async function round(context: RowContext, site: Site, single: readonly Log[], many: Log): Promise<void> {
  const { random } = context
  const logs = [...single, many]
  const write = async () => {
    for (let i = 0; i < 5; i++) {
      for (const log of logs) log.write(LINES_AT_ONCE)
      await context.sleep(random.between(0, 120))
    }
  }
  await write()
  const isRotatedBefore = random.uniform() < 0.5
  if (isRotatedBefore) for (const log of single) log.rotate()
  many.rotate()
  await write()
  await context.sleep(random.between(0, 300))
  await site.killAgent(() => {
    for (const log of logs) log.write(LINES_AT_ONCE)
    if (!isRotatedBefore) for (const log of single) log.rotate()
    for (let n = random.whole(1, 3); n > 0; n--) {
      many.rotate()
      many.write(LINES_AT_ONCE)
    }
    for (const log of single) log.write(LINES_AT_ONCE)
  })
  await write()
  for (const log of logs) log.finish()
  for (const log of logs) await log.untilStored()
}

export const edgeFileRotation: FaultRow = {
  name: 'edge.file-rotation',
  area: 'edge',
  what: 'kill -9 of the agent while it reads CSV files that are half written, renamed, copied and truncated',
  async run(context) {
    const dir = path.join(context.dir, 'logs')
    mkdirSync(dir)
    const source = (name: string, pattern = name) => ({
      name,
      protocol: 'file',
      machine_identifier: 'm0',
      path: path.join(dir, pattern),
      poll_interval_seconds: 0.1,
      delimiter: ';',
      timestamp: { field: 'time' },
      fields: [{ field: 'value', metric_name: name, unit: 'celsius' }],
    })
    for (const name of ['renamed', 'copied', 'many']) writeFileSync(path.join(dir, name), HEADER)
    const collectors = [source('renamed'), source('copied'), source('many', 'many*')]
    const site = await startSite(context, { plant: { units: 1, tags: 3, nodes: 0 }, collectors })
    const log = (name: string, rotation: Rotation) => new Log(site, path.join(dir, name), name, rotation)
    const [renamed, copied, many] = [log('renamed', 'rename'), log('copied', 'copy'), log('many', 'rename')]
    const rounds = context.fullOrShort(20, 2)
    for (let n = 1; n <= rounds; n++) {
      context.say(`rotation and kill, ${n} of ${rounds}`)
      await round(context, site, [renamed, copied], many)
    }
    const found = await site.finish()
    const { dead_letters } = site.agent.counts()
    if (dead_letters > 0) context.reportFailure(`the hub refused ${dead_letters} readings`)
    const lines = [renamed, copied, many].reduce((sum, { written }) => sum + written, 0)
    return { ...found, note: `${rounds} kills, ${lines} lines` }
  },
}
