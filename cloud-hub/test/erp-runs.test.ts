import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ErpUnavailable } from '../src/features/exchange/providers/provider.ts'
import { purgeExchange } from '../src/features/exchange/sync/index.ts'
import { useHub } from './harness.ts'
import { until } from './processes.ts'
import { soon } from './soon.ts'
import { type Exchange, startExchange } from './support/exchange.ts'
import { gate, said } from './support/fake-erp.ts'

const hub = useHub()
const AUTOMATIC = { auto_push_work_orders: true, sync_interval_minutes: 60 }
const away = () => {
  throw new ErpUnavailable('unreachable', said('The ERP does not answer.'))
}
/** One tick of the job, and the runs that it begins. */
const tick = async ({ runner }: Pick<Exchange, 'runner'>, by = runner) => {
  await by.tick(hub.clock.now())
  await by.idle()
}

/** Holds the first call of an operation back. */
function hold(exchange: Exchange, operation: string) {
  const [reached, go] = [gate(), gate()]
  exchange.erp.before = async (name, _ids, signal) => {
    if (name !== operation) return
    exchange.erp.before = () => {}
    reached.open()
    await Promise.race([go.opened, new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))])
  }
  return { reached: reached.opened, go: go.open }
}

describe('runs of a connection', () => {
  it('run one at a time, also in two processes: the second waits, and is refused when the first takes too long', async () => {
    const exchange = await startExchange(hub)
    await exchange.order()
    const { reached, go } = hold(exchange, 'create')
    const first = exchange.sync()
    await reached
    const other = exchange.other()
    await expect(exchange.sync({}, other, { waitMs: 300, answerMs: 60_000 })).rejects.toMatchObject({
      code: 'sync_running',
      status: 409,
    })
    const second = exchange.sync({}, other)
    go()
    expect([(await first).length, (await second).length]).toEqual([1, 0])
    expect(exchange.erp.stored).toHaveLength(1)
    await other.stop()
  })

  it('started at once in two processes send each record once', async () => {
    const exchange = await startExchange(hub)
    for (let i = 0; i < 5; i++) await exchange.order()
    const other = exchange.other()
    await Promise.all([exchange.sync(), exchange.sync({}, other), exchange.sync(), exchange.sync({}, other)])
    expect(exchange.erp.stored).toHaveLength(5)
    expect(await exchange.runs()).toHaveLength(4)
    await other.stop()
  })

  it('end while another run of the connection is being requested', async () => {
    const exchange = await startExchange(hub)
    await exchange.order()
    const { reached, go } = hold(exchange, 'create')
    const sync = exchange.sync()
    await reached
    await hub.owner.begin(async (sql) => {
      await sql`select from erp_connections where id = ${exchange.connectionId} for share`
      go()
      await until('the run waits for the connection', async () => {
        const [row] =
          await hub.owner`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        return row !== undefined
      })
      // shorter than the time after which PostgreSQL ends a deadlock
      await sql`set local lock_timeout = '500ms'`
      await sql`
        insert into erp_runs (tenant_id, connection_id, direction, entity_type, trigger, leased_by, leased_until, started_at)
        select tenant_id, connection_id, direction, entity_type, trigger, leased_by, leased_until, started_at
        from erp_runs where connection_id = ${exchange.connectionId}
        on conflict (tenant_id, connection_id) where status = 'running' do nothing`
    })
    expect(await sync).toHaveLength(1)
    expect(await exchange.runs()).toMatchObject([{ status: 'success', succeeded: 1 }])
  })

  it('go on after the answer when they take long, and their progress is visible', async () => {
    const exchange = await startExchange(hub)
    for (let i = 0; i < 3; i++) await exchange.order()
    let creates = 0
    const [reached, go] = [gate(), gate()]
    exchange.erp.before = async (operation) => {
      if (operation !== 'create' || ++creates < 2) return
      reached.open()
      await go.opened
    }
    const answer = exchange.sync({}, exchange.runner, { waitMs: 0, answerMs: 500 })
    await reached.opened
    expect(await answer).toHaveLength(1)
    expect(await exchange.runs()).toMatchObject([{ status: 'running', total: 3, succeeded: 1 }])
    go.open()
    await exchange.runner.idle()
    expect(await exchange.runs()).toMatchObject([{ status: 'success', total: 3, succeeded: 3 }])
  })

  it('write nothing after they lost their lease', async () => {
    const exchange = await startExchange(hub)
    const id = await exchange.order()
    const { reached, go } = hold(exchange, 'create')
    const sync = exchange.sync()
    await reached
    await hub.owner`update erp_runs set leased_by = ${randomUUID()} where connection_id = ${exchange.connectionId}`
    go()
    expect(await sync).toEqual([])
    expect(exchange.erp.of(id)).toHaveLength(1)
    expect(await exchange.record(id)).toMatchObject({ external_id: null, is_due: true })
    expect(await exchange.runs()).toMatchObject([{ status: 'running', succeeded: 0 }])
    // the process that has the lease now finds the record in the ERP
    await hub.owner`update erp_runs set leased_until = now() where connection_id = ${exchange.connectionId}`
    await tick(exchange)
    expect(await exchange.runs()).toMatchObject([{ status: 'success', succeeded: 1 }])
    expect(exchange.erp.of(id)).toMatchObject([{ updates: 1 }])
  })

  it('are continued by another process when theirs renews the lease no more, under the same id and without a second create', async () => {
    const exchange = await startExchange(hub)
    for (let i = 0; i < 4; i++) await exchange.order()
    const killed = exchange.other(0.5)
    let creates = 0
    exchange.erp.before = async (operation) => {
      if (operation !== 'create' || ++creates !== 3) return
      // as after a kill: the process neither renews nor writes
      await hub.owner`update erp_runs set leased_by = ${randomUUID()}, leased_until = now() + interval '300 ms' where connection_id = ${exchange.connectionId}`
    }
    await exchange.sync({}, killed)
    const [run] = await exchange.runs()
    expect(run).toMatchObject({ status: 'running', succeeded: 2 })
    await tick(exchange)
    await soon(async () => {
      await tick(exchange)
      expect(await exchange.runs()).toMatchObject([{ id: run?.id, status: 'success', total: 4, succeeded: 4 }])
    })
    expect(exchange.erp.stored).toHaveLength(4)
    expect(new Set(exchange.erp.stored.map(({ record }) => record.id)).size).toBe(4)
  })

  it('of a living process are not taken over, however long a call takes', async () => {
    const exchange = await startExchange(hub)
    await exchange.order()
    const slow = exchange.other(0.6)
    const { reached, go } = hold(exchange, 'create')
    const sync = exchange.sync({}, slow)
    await reached
    for (const deadline = performance.now() + 1_500; performance.now() < deadline; ) await tick(exchange)
    go()
    expect(await sync).toMatchObject([{ status: 'success' }])
    expect(exchange.erp.calls).toEqual(['find 1', 'create 1'])
  })

  it('end their calls when the hub stops, and go on in another process at once', async () => {
    const exchange = await startExchange(hub)
    for (let i = 0; i < 2; i++) await exchange.order()
    const stopping = exchange.other()
    const { reached } = hold(exchange, 'create')
    const sync = exchange.sync({}, stopping)
    await reached
    await stopping.stop()
    expect(await sync).toEqual([])
    await expect(exchange.sync({}, stopping)).rejects.toMatchObject({ code: 'hub_stopping' })
    expect(await exchange.runs()).toMatchObject([{ status: 'running', error_message: null }])
    await tick(exchange)
    expect(await exchange.runs()).toMatchObject([{ status: 'success', succeeded: 2 }])
    expect(exchange.erp.stored).toHaveLength(2)
  })

  it.each(['changed', 'deactivated', 'deleted'])('stop when the connection is %s', async (how) => {
    const exchange = await startExchange(hub)
    const id = await exchange.order()
    const { reached, go } = hold(exchange, 'create')
    const sync = exchange.sync()
    await reached
    const route = `erp/connections/${exchange.connectionId}`
    if (how === 'deleted') await exchange.admin.call('DELETE', route)
    else
      await exchange.admin.call(
        'PATCH',
        route,
        how === 'changed' ? { config: { password: 'secret-0002' } } : { is_active: false },
      )
    go()
    expect(await sync).toEqual([])
    if (how === 'deleted') return
    expect(await exchange.runs()).toMatchObject([
      {
        status: 'failed',
        error_message: `The connection was ${how} during the run.`,
        fault: { code: `erp_run_connection_${how}` },
      },
    ])
    expect(await exchange.record(id)).toMatchObject({ external_id: null, is_due: true })
  })

  it('fail with a log entry when the hub itself fails, and the records stay due', async () => {
    const exchange = await startExchange(hub)
    const id = await exchange.order()
    exchange.erp.before = () => {
      throw new Error('a bug')
    }
    expect(await exchange.sync()).toMatchObject([{ status: 'failed', errorMessage: expect.stringMatching(/inside the hub/) }])
    expect(await exchange.record(id)).toMatchObject({ is_due: true })
    expect(await exchange.connection()).toMatchObject({ failures_in_a_row: 0, last_sync_status: 'failed' })
  })
})

describe('automatic runs', () => {
  it('happen for connections with a toggle, at their interval, and leave no run when nothing is due', async () => {
    const exchange = await startExchange(hub, AUTOMATIC)
    const id = await exchange.order()
    await tick(exchange)
    expect(exchange.erp.of(id)).toHaveLength(1)
    expect(await exchange.runs()).toMatchObject([{ trigger: 'automatic', status: 'success', total: 1 }])
    const next = (await exchange.connection()).next_run_at as Date
    expect(Math.abs(next.getTime() - hub.clock.now().getTime() - 3_600_000)).toBeLessThan(10_000)
    await exchange.order()
    hub.clock.advance(3_500)
    await tick(exchange)
    expect(await exchange.runs()).toHaveLength(1)
    hub.clock.advance(200)
    await tick(exchange)
    expect(await exchange.runs()).toHaveLength(2)
    hub.clock.advance(3_700)
    await tick(exchange)
    expect(await exchange.runs()).toHaveLength(2)
    expect(await exchange.connection()).toMatchObject({ last_sync_status: 'success' })
  })

  it.each([
    ['without a toggle', { auto_push_work_orders: false }],
    ['of an inactive connection', { is_active: false }],
    ['paused since a restore', { paused_at: new Date() }],
  ])('do not happen %s', async (_name, values) => {
    const exchange = await startExchange(hub, AUTOMATIC)
    await exchange.order()
    await exchange.set(values)
    await tick(exchange)
    expect(await exchange.runs()).toEqual([])
    expect(exchange.erp.calls).toEqual([])
  })

  it('send only the entities of the toggles', async () => {
    const exchange = await startExchange(hub, { ...AUTOMATIC, auto_push_work_orders: false, auto_push_downtime: true })
    await exchange.order()
    const times = { started_at: '2026-01-05T08:00Z', ended_at: '2026-01-05T09:00Z' }
    await exchange.admin.call('POST', `machines/${exchange.machineId}/downtime`, times)
    await tick(exchange)
    expect(exchange.erp.stored).toMatchObject([{ record: { entity: 'downtime', fields: { duration_minutes: 60 } } }])
  })

  it('of two processes happen once', async () => {
    const exchange = await startExchange(hub, AUTOMATIC)
    await exchange.order()
    const other = exchange.other()
    const now = hub.clock.now()
    await Promise.all([exchange.runner.tick(now), other.tick(now), exchange.runner.tick(now)])
    await Promise.all([exchange.runner.idle(), other.idle()])
    expect(await exchange.runs()).toHaveLength(1)
    expect(exchange.erp.stored).toHaveLength(1)
    await other.stop()
  })

  it('pause after the third outage in a row for a minute, then twice as long after each trial, and end with the first success', async () => {
    const exchange = await startExchange(hub, AUTOMATIC)
    await exchange.order()
    exchange.erp.before = away
    const opens: number[] = []
    for (let failure = 1; failure <= 10; failure++) {
      await exchange.set({ next_run_at: hub.clock.now() })
      await tick(exchange)
      const { failures_in_a_row, breaker_open_until } = (await exchange.connection()) as {
        failures_in_a_row: number
        breaker_open_until: Date | null
      }
      expect(failures_in_a_row).toBe(failure)
      const seconds = breaker_open_until ? (breaker_open_until.getTime() - hub.clock.now().getTime()) / 1_000 : 0
      opens.push(Math.round(seconds / 60))
      // while it is open, no run begins
      if (seconds > 2) {
        hub.clock.advance(seconds - 2)
        await exchange.set({ next_run_at: hub.clock.now() })
        await tick(exchange)
        expect(await exchange.connection()).toMatchObject({ failures_in_a_row: failure })
        hub.clock.advance(3)
      }
    }
    expect(opens).toEqual([0, 0, 1, 2, 4, 8, 16, 32, 60, 60])
    exchange.erp.before = () => {}
    await exchange.set({ next_run_at: hub.clock.now() })
    await tick(exchange)
    expect(await exchange.connection()).toMatchObject({
      failures_in_a_row: 0,
      breaker_open_until: null,
      last_sync_status: 'success',
    })
    expect((await exchange.runs()).filter(({ status }) => status === 'failed')).toHaveLength(10)
  })

  it('come back after an outage without waiting for the interval', async () => {
    const exchange = await startExchange(hub, { ...AUTOMATIC, sync_interval_minutes: 1_440 })
    const id = await exchange.order()
    exchange.erp.before = away
    await tick(exchange)
    exchange.erp.before = () => {}
    hub.clock.advance(61)
    await tick(exchange)
    expect(await exchange.record(id)).toMatchObject({ is_due: false })
  })

  it('by hand are tried once while the circuit breaker is open, and success closes it', async () => {
    const exchange = await startExchange(hub, AUTOMATIC)
    await exchange.order()
    exchange.erp.before = away
    for (let i = 0; i < 3; i++)
      expect(await exchange.sync()).toMatchObject([{ status: 'failed', errorMessage: 'The ERP does not answer.' }])
    expect((await exchange.connection()).breaker_open_until).not.toBeNull()
    await exchange.sync()
    expect(await exchange.connection()).toMatchObject({ failures_in_a_row: 4 })
    exchange.erp.before = () => {}
    expect(await exchange.sync()).toMatchObject([{ status: 'success' }])
    expect(await exchange.connection()).toMatchObject({ failures_in_a_row: 0, breaker_open_until: null })
  })

  it('with nothing to send say nothing about an ERP that is away', async () => {
    const exchange = await startExchange(hub)
    await exchange.set({ failures_in_a_row: 2 })
    expect(await exchange.sync()).toEqual([])
    expect(await exchange.connection()).toMatchObject({ failures_in_a_row: 2 })
  })

  it('of a slow ERP delay no other connection', async () => {
    const [slow, fast] = [await startExchange(hub, AUTOMATIC), await startExchange(hub, AUTOMATIC)]
    await slow.order()
    const id = await fast.order()
    const { reached, go } = hold(slow, 'find')
    await slow.runner.tick(hub.clock.now())
    await reached
    await fast.set({ next_run_at: hub.clock.now() })
    await soon(async () => {
      await fast.runner.tick(hub.clock.now())
      expect(await fast.record(id)).toMatchObject({ is_due: false })
    })
    go()
    await slow.runner.idle()
  })

  it('of a tenant hold one of the four places, so that five slow ERPs of it delay no other tenant', async () => {
    const slow = await startExchange(hub, AUTOMATIC)
    await slow.order()
    const { reached, go } = hold(slow, 'find')
    const config = { base_url: 'https://erp.invalid/api', username: 'hub', password: 'secret-0001' }
    for (let n = 2; n <= 5; n++)
      await slow.admin.call('POST', 'erp/connections', { provider: 'erp_c', name: `ERP ${n}`, config, ...AUTOMATIC })
    const fast = await startExchange(hub, AUTOMATIC)
    const id = await fast.order()
    await hub.owner`update erp_connections set next_run_at = ${hub.clock.now()}
      where tenant_id in ${hub.owner([slow.admin.tenantId, fast.admin.tenantId])}`
    // the first in the queue
    await slow.set({ next_run_at: new Date(hub.clock.now().getTime() - 60_000) })
    await slow.runner.tick(hub.clock.now())
    await reached
    await soon(async () => {
      await slow.runner.tick(hub.clock.now())
      expect(await fast.record(id)).toMatchObject({ is_due: false })
    })
    const claimed =
      await hub.owner`select from erp_connections where tenant_id = ${slow.admin.tenantId} and next_run_at > ${hub.clock.now()}`
    expect(claimed).toHaveLength(1)
    go()
    await slow.runner.idle()
  })

  it('give their place back after a run while another tenant waits, and go on with the next entity', async () => {
    const long = await startExchange(hub, { ...AUTOMATIC, auto_pull_assets: true })
    const other = await startExchange(hub, AUTOMATIC)
    const [first, id] = [await long.order(), await other.order()]
    // of this test alone
    await hub.owner`update erp_connections set is_active = false where id not in ${hub.owner([long.connectionId, other.connectionId])}`
    const runner = long.other(30, 1)
    const pull = hold(long, 'assets')
    await other.set({ next_run_at: new Date(hub.clock.now().getTime() + 3_600_000) })
    await runner.tick(hub.clock.now())
    await pull.reached
    await other.set({ next_run_at: hub.clock.now() })
    const push = hold(long, 'create')
    pull.go()
    await soon(async () => {
      await runner.tick(hub.clock.now())
      expect(await other.record(id)).toMatchObject({ is_due: false })
    })
    hub.clock.advance(6)
    await soon(async () => {
      await runner.tick(hub.clock.now())
      expect((await long.runs()).map(({ direction }) => direction)).toEqual(['inbound', 'outbound'])
    })
    push.go()
    await runner.idle()
    expect(await long.record(first)).toMatchObject({ is_due: false })
  })

  it('of a changed connection come at once, also when the change happens during a pass', async () => {
    const exchange = await startExchange(hub, AUTOMATIC)
    await exchange.order()
    const { reached, go } = hold(exchange, 'create')
    await exchange.runner.tick(hub.clock.now())
    await reached
    await exchange.admin.call('PATCH', `erp/connections/${exchange.connectionId}`, { auto_push_downtime: true })
    go()
    await exchange.runner.idle()
    const { next_run_at } = (await exchange.connection()) as { next_run_at: Date }
    expect(next_run_at.getTime()).toBeLessThanOrEqual(hub.clock.now().getTime())
  })

  it('send completed shift logs with their OEE, counts and scrap, and not the running ones', async () => {
    const exchange = await startExchange(hub, { ...AUTOMATIC, auto_push_work_orders: false, auto_push_production_data: true })
    const { admin, machineId, erp } = exchange
    const shift = { name: 'Early', start_time: '06:00', end_time: '14:00' }
    const { id: shift_definition_id } = (await admin.call('POST', 'shifts/definitions', shift)).body
    const given = { machine_id: machineId, shift_definition_id, shift_date: '2026-01-01' }
    const log = (await admin.call('POST', 'shifts/logs', { ...given, actual_start: '2026-01-01T06:00Z' })).body
    await tick(exchange)
    expect(erp.stored).toEqual([])
    expect(await exchange.sync({ entityType: 'production_data', entityId: log.id })).toMatchObject([
      { status: 'skipped', errorMessage: expect.stringMatching(/has not ended/) },
    ])
    await admin.call('PATCH', `shifts/logs/${log.id}`, { status: 'completed', actual_end: '2026-01-01T14:00Z' })
    const entries = await exchange.sync({ entityType: 'production_data' })
    expect(entries).toMatchObject([{ entityId: log.id, status: 'success' }])
    expect(erp.stored).toMatchObject([
      { record: { fields: { planned_minutes: 480, shift_name: 'Early', shift_date: '2026-01-01' } } },
    ])
    const times = { started_at: '2026-01-01T08:00Z', ended_at: '2026-01-01T08:30Z' }
    await admin.call('POST', `machines/${machineId}/downtime`, times)
    expect(await exchange.sync({ entityType: 'production_data' })).toMatchObject([
      { status: 'success', requestSummary: 'PATCH production_data' },
    ])
    expect(erp.stored).toMatchObject([
      { record: { fields: { downtime_minutes: 30 }, lines: { downtime_by_reason: [{ minutes: 30 }] } } },
    ])
  })
})

describe('the change queue', () => {
  it('is emptied for tenants without a connection too', async () => {
    const admin = await hub.admin()
    const machine = await hub.machine(admin)
    await admin.call('POST', 'work-orders', { machine_id: machine.id, title: 'Bearing' })
    const queued = async () => (await hub.owner`select 1 from erp_changes where tenant_id = ${admin.tenantId}`).length
    expect(await queued()).toBeGreaterThan(0)
    await hub.deps.erp.tick(hub.clock.now())
    expect(await queued()).toBe(0)
  })

  it('keeps no tenant from being deleted with its work orders, downtime and shift logs', async () => {
    const { admin, machineId, order, sync } = await startExchange(hub)
    await order()
    const times = { started_at: '2026-01-01T08:00Z', ended_at: '2026-01-01T08:30Z' }
    expect((await admin.call('POST', `machines/${machineId}/downtime`, times)).status).toBe(201)
    const shift = { name: 'Early', start_time: '06:00', end_time: '14:00' }
    const { id: shift_definition_id } = (await admin.call('POST', 'shifts/definitions', shift)).body
    const given = { machine_id: machineId, shift_definition_id, shift_date: '2026-01-01', actual_start: '2026-01-01T06:00Z' }
    const log = (await admin.call('POST', 'shifts/logs', given)).body
    await admin.call('PATCH', `shifts/logs/${log.id}`, { status: 'completed', actual_end: '2026-01-01T14:00Z' })
    await sync()
    await hub.owner`delete from tenants where id = ${admin.tenantId}`
    const left = await hub.owner`
      select 1 from erp_changes where tenant_id = ${admin.tenantId} union all select 1 from erp_records where tenant_id = ${admin.tenantId}
      union all select 1 from erp_sync_logs where tenant_id = ${admin.tenantId}`
    expect(left).toHaveLength(0)
  })
})

describe('retention', () => {
  it('deletes entries and ended runs after 400 days', async () => {
    const exchange = await startExchange(hub)
    await exchange.order()
    await exchange.sync()
    const now = hub.clock.now()
    const days = (n: number) => new Date(now.getTime() + n * 86_400_000)
    const left = async () => [
      (await exchange.runs()).length,
      (await hub.owner`select 1 from erp_sync_logs where erp_connection_id = ${exchange.connectionId}`).length,
    ]
    await purgeExchange(hub.deps.pools.system, days(399.9))
    expect(await left()).toEqual([1, 1])
    await purgeExchange(hub.deps.pools.system, days(400.1))
    expect(await left()).toEqual([0, 0])
  })
})
