import { toColumns } from '@haltless/protocol'
import { describe, expect, it } from 'vitest'
import { ADVISORY_LOCKS } from '../src/db/advisory-locks.ts'
import { pipelined, type Sql, type TransactionSql } from '../src/db/pools.ts'
import { type FlushDeps, Flusher, type Ingest, IngestQueue, submissionFromBatch } from '../src/features/telemetry/ingest/index.ts'
import { createLogger } from '../src/support/logger.ts'
import { plant, TestClock, type TestUser, useHub } from './harness.ts'

const hub = useHub()

/** A replica with a memory of its own, on the same database. */
const replica = (deps: Partial<FlushDeps> = {}): Ingest =>
  new IngestQueue(new Flusher({ ...hub.flushDeps, ...deps }), createLogger('silent'))

type Sent = readonly (readonly [at: number, value: number])[]
const accept = (ingest: Ingest, of: TestUser, machine: string, readings: Sent, metric = 'temperature') =>
  ingest.acceptReadings(
    of.tenantId,
    submissionFromBatch(
      toColumns(readings.map(([timestamp, value]) => ({ machine, metric, unit: 'celsius', rawTag: null, timestamp, value }))),
      hub.clock.now().getTime(),
    ),
  )

async function ruledPlant() {
  const made = await plant(hub)
  const rule = { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 }
  const { id } = (await made.admin.call('POST', 'alert-rules', rule)).body
  return { ...made, ruleId: id as string, now: hub.clock.now().getTime() - 60_000 }
}
const alertsOf = async (admin: TestUser, machineId: string) =>
  (await admin.call('GET', `alerts?machine_id=${machineId}&page_size=100`)).body.items as {
    severity: string
    trigger_value: number
    triggered_at: string
    cleared_at: string | null
    message: string
  }[]

/** The ingest pool, noting the statements of its transactions. */
function noting(statements: string[]): Sql {
  const note = (target: object, given: unknown[]) => {
    const text = given[0] as TemplateStringsArray | undefined
    if (Array.isArray(text)) statements.push(text.join('?'))
    return Reflect.apply(target as never, undefined, given)
  }
  type Work = (tx: TransactionSql) => Promise<unknown>
  const noted = (work: Work) => (tx: TransactionSql) =>
    work(new Proxy(tx, { apply: (target, _self, given) => note(target, given) }))
  const begin = (work: Work) => hub.flushDeps.ingest.begin(noted(work))
  const pipeline = (kind: 'begin', work: Work) => pipelined(hub.flushDeps.ingest, kind, noted(work))
  return new Proxy(hub.flushDeps.ingest, {
    get: (target, name) => (name === 'begin' ? begin : name === 'pipeline' ? pipeline : Reflect.get(target, name)),
  })
}

describe('a replica that caches the context of series', () => {
  it('caches the state of a composite rule once for all its series, and reloads a state that another replica changed', async () => {
    const { admin, identifier, machine, now } = await ruledPlant()
    const conditions = ['noise', 'draught'].map((metric) => ({ metric, op: '>', value: 5 }))
    const rule = { machine_id: machine.id, name: 'both', expression: { conditions }, severity: 'info' }
    await admin.call('POST', 'composite-rules', rule)
    const statements: string[] = []
    const [one, other] = [replica({ ingest: noting(statements) }), replica()]
    const asked = () => statements.splice(0).filter((text) => text.includes('with asked as')).length
    await accept(one, admin, identifier, [[now, 1]], 'noise')
    await accept(one, admin, identifier, [[now + 1, 1]], 'draught')
    asked()
    for (let i = 2; i < 8; i++) await accept(one, admin, identifier, [[now + i, i < 6 ? 1 : 9]], i % 2 ? 'noise' : 'draught')
    expect(asked()).toBe(0)
    const raised = async () => (await alertsOf(admin, machine.id)).map((alert) => alert.cleared_at !== null)
    expect(await raised()).toEqual([false])
    for (const at of [10, 11]) await accept(other, admin, identifier, [[now + at, 1]], 'noise')
    expect(await raised()).toEqual([true])
    await accept(one, admin, identifier, [[now + 12, 9]], 'noise')
    expect(asked()).toBeGreaterThan(0)
    expect(await raised()).toEqual([false, true])
  })

  it('loads the context once, then stores and evaluates live readings without loading it again', async () => {
    const { admin, identifier, machine, now } = await ruledPlant()
    const statements: string[] = []
    const one = replica({ ingest: noting(statements) })
    const asked = () => statements.splice(0).filter((text) => text.includes('with asked as')).length
    await accept(one, admin, identifier, [[now, 50]])
    expect(asked()).toBeGreaterThan(0)
    await accept(one, admin, identifier, [[now + 1, 85]])
    await accept(one, admin, identifier, [
      [now + 2, 50],
      [now + 3, 50],
    ])
    await accept(one, admin, identifier, [[now + 4, 95]])
    expect(asked()).toBe(0)
    expect((await alertsOf(admin, machine.id)).map((a) => [a.trigger_value, a.cleared_at !== null])).toEqual([
      [95, false],
      [85, true],
    ])
    // what arrived before, or was taken before, is asked about
    await accept(one, admin, identifier, [[now + 4, 95]])
    expect(asked()).toBe(1)
    expect(await alertsOf(admin, machine.id)).toHaveLength(2)
  })

  it('reloads the context when another replica has evaluated newer readings', async () => {
    const { admin, identifier, machine, now } = await ruledPlant()
    const [one, other] = [replica(), replica()]
    for (const [i, ingest] of [one, other, one, other].entries()) await accept(ingest, admin, identifier, [[now + i, 50]])
    await accept(one, admin, identifier, [[now + 10, 95]])
    await accept(other, admin, identifier, [[now + 11, 95]])
    await accept(other, admin, identifier, [[now + 12, 50]])
    await accept(one, admin, identifier, [[now + 13, 50]])
    await accept(other, admin, identifier, [[now + 14, 85]])
    expect((await alertsOf(admin, machine.id)).map((a) => [a.trigger_value, a.cleared_at !== null])).toEqual([
      [85, false],
      [95, true],
    ])
  })

  it('writes no state of a rule, and looks at no status of a machine, while both stay as they are', async () => {
    const { admin, identifier, machine, now } = await ruledPlant()
    const statements: string[] = []
    const one = replica({ ingest: noting(statements) })
    const sent = async (at: number, value: number) => {
      statements.splice(0)
      await accept(one, admin, identifier, [[now + at, value]])
      const has = (text: string) => statements.some((statement) => statement.includes(text))
      return { state: has('update threshold_conditions'), status: has('update machines') }
    }
    const statusNow = async () => (await admin.call('GET', `machines/${machine.id}`)).body.status
    await accept(one, admin, identifier, [[now, 50]])
    await accept(one, admin, identifier, [[now + 1, 50]])
    const nothing = { state: false, status: false }
    expect([await sent(2, 50), await sent(3, 79)]).toEqual([nothing, nothing])
    expect(await sent(4, 95)).toEqual({ state: true, status: true })
    expect(await statusNow()).toBe('critical')
    for (const at of [5, 6, 7]) await sent(at, 50)
    expect(await statusNow()).toBe('healthy')
    expect(await sent(8, 50)).toEqual(nothing)
    await admin.call('PATCH', `machines/${machine.id}`, { status: 'warning' })
    expect(await statusNow()).toBe('warning')
    await sent(9, 50)
    expect(await statusNow()).toBe('healthy')
  })

  it('looks at the status of a machine that was silent, and of each machine after a minute', async () => {
    const { admin, identifier } = await ruledPlant()
    const statements: string[] = []
    const clock = new TestClock()
    const one = replica({ clock, machineOfflineAfterSeconds: 100, ingest: noting(statements) })
    const looks = async (seconds: number) => {
      clock.advance(seconds)
      statements.splice(0)
      await accept(one, admin, identifier, [[clock.now().getTime() - 1, 50]])
      return statements.some((statement) => statement.includes('update machines'))
    }
    await looks(1)
    await looks(1)
    expect(await looks(49)).toBe(false)
    expect(await looks(51)).toBe(true)
    expect(await looks(30)).toBe(false)
    expect(await looks(31)).toBe(true)
  })

  it('evaluates by the state that another replica left, also where it changes single newest values', async () => {
    const { admin, identifier, machine, now } = await ruledPlant()
    const [one, other] = [replica(), replica()]
    const values: [Ingest, number][] = [
      ...[one, other, one, other, one].map((ingest): [Ingest, number] => [ingest, 50]),
      [other, 95],
      [one, 50],
      [one, 50],
      [other, 50],
      [other, 85],
      [one, 85],
    ]
    for (const [i, [ingest, value]] of values.entries()) {
      // other series of the machine let each replica change its entries only
      await accept(ingest, admin, identifier, [[now + i, 1]], ingest === one ? 'noise' : 'draught')
      await accept(ingest, admin, identifier, [[now + i, value]])
    }
    expect((await alertsOf(admin, machine.id)).map((a) => [a.trigger_value, a.cleared_at !== null])).toEqual([
      [85, false],
      [95, true],
    ])
  })

  it('raises the same alerts as replicas without a cache, for any distribution of batches, with late and repeated ones', async () => {
    let seed = 42
    const random = (n: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return Math.floor((seed / 2 ** 31) * n)
    }
    const [remembering, forgetting] = [await ruledPlant(), await ruledPlant()]
    const replicas = [replica(), replica(), replica()]
    const start = hub.clock.now().getTime() - 600_000
    let at = 0
    const sent: Sent[] = []
    for (let i = 0; i < 150; i++) {
      const kind = random(10)
      const from = kind === 0 ? random(at + 1) : kind === 1 ? at - 1 : at
      const batch: Sent =
        kind === 2 && sent.length > 0
          ? (sent[random(sent.length)] as Sent)
          : Array.from({ length: 1 + random(3) }, (_, k) => [start + (from + k) * 10, 60 + random(40)] as const)
      at = Math.max(at, from + batch.length)
      sent.push(batch)
      await accept(replicas[random(3)] as Ingest, remembering.admin, remembering.identifier, batch)
      await accept(replica(), forgetting.admin, forgetting.identifier, batch)
    }
    const shown = async ({ admin, machine }: typeof remembering) =>
      (await alertsOf(admin, machine.id)).map((a) => [a.severity, a.trigger_value, a.triggered_at, a.cleared_at !== null])
    const raised = await shown(remembering)
    expect(raised.length).toBeGreaterThan(20)
    expect(raised).toEqual(await shown(forgetting))
  })

  it('applies every change of rules and machines with the next flush', async () => {
    const { admin, identifier, machine, ruleId, now } = await ruledPlant()
    const one = replica()
    let second = 0
    const feed = (...values: number[]) =>
      accept(
        one,
        admin,
        identifier,
        values.map((value) => [now + second++, value] as const),
      )
    const raised = async () => (await alertsOf(admin, machine.id)).length
    await feed(50)
    await feed(50)
    await admin.call('PUT', `alert-rules/${ruleId}`, { warning_threshold: 40 })
    await feed(50)
    expect(await raised()).toBe(1)
    await admin.call('PUT', `alert-rules/${ruleId}`, { is_active: false })
    await feed(95)
    expect(await raised()).toBe(1)
    await admin.call('PUT', `alert-rules/${ruleId}`, { is_active: true })
    await admin.call('PATCH', `machines/${machine.id}`, { name: 'Press 9' })
    await feed(95)
    expect((await alertsOf(admin, machine.id))[0]?.message).toMatch(/^Press 9: /)
    const low = { metric_name: 'temperature', machine_id: machine.id, warning_threshold: 10, critical_threshold: 5 }
    const { id } = (await admin.call('POST', 'alert-rules', low)).body
    await feed(4)
    expect((await alertsOf(admin, machine.id))[0]).toMatchObject({ severity: 'critical', trigger_value: 4 })
    await admin.call('DELETE', `alert-rules/${id}`)
    const before = await raised()
    await feed(50, 50)
    await feed(4)
    expect(await raised()).toBe(before)
    await admin.call('DELETE', `machines/${machine.id}`)
    expect(await feed(50)).toMatchObject({ accepted_count: 0, errors: [{ code: 'unknown_machine' }] })
    await admin.call('PATCH', `machines/${machine.id}`, { is_active: true })
    expect(await feed(50)).toMatchObject({ accepted_count: 1, rejected_count: 0 })
  })

  it('evaluates by the new version of a rule that changed while it waited, and rejects a machine that was deactivated meanwhile', async () => {
    const { admin, identifier, machine, ruleId, now } = await ruledPlant()
    const one = replica()
    for (const i of [0, 1]) await accept(one, admin, identifier, [[now + i, 50]])
    /** What a flush makes of a reading that arrives while `change` is under way. */
    const during = (change: (tx: TransactionSql) => Promise<unknown>, at: number) =>
      hub.owner
        .begin(async (tx) => {
          await tx`select pg_advisory_xact_lock(${ADVISORY_LOCKS.tenantRules}, hashtext(${admin.tenantId}))`
          await change(tx)
          const answer = accept(one, admin, identifier, [[now + at, 50]])
          await expect
            .poll(() =>
              hub.owner`select from pg_locks where locktype = 'advisory' and classid = 4711 and not granted`.then((l) => l.count),
            )
            .toBe(1)
          return { answer }
        })
        .then(({ answer }) => answer)
    await during((tx) => tx`update threshold_rules set warning_threshold = 40 where id = ${ruleId}`, 2)
    expect((await alertsOf(admin, machine.id)).map((a) => a.trigger_value)).toEqual([50])
    const refused = await during((tx) => tx`update machines set is_active = false where id = ${machine.id}`, 3)
    expect(refused).toMatchObject({ accepted_count: 0, errors: [{ code: 'unknown_machine' }] })
  })
})
