import { inflateSync } from 'node:zlib'
import { PDFDocument, PDFRawStream } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { drawPdf } from '../src/features/mails/draw-pdf.ts'
import { startMailing } from '../src/features/mails/index.ts'
import type { MailParams } from '../src/features/mails/mail-params.ts'
import { mailContentOf } from '../src/features/mails/templates.ts'
import { recomputeOee } from '../src/features/production/oee/index.ts'
import { queueReports } from '../src/features/reports/index.ts'
import { createLogger } from '../src/support/logger.ts'
import type { Mail, Mailer } from '../src/support/mail.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { soon } from './soon.ts'
import { shiftPlant } from './support/shift-plant.ts'

const hub = useHub()
const deps = () => ({
  allTenants: hub.deps.pools.system,
  box: hub.deps.box,
  publicUrl: 'https://hub.example.com',
  logger: createLogger('silent'),
})
const run = (at: string, others = {}) => queueReports({ ...deps(), ...others }, new Date(at))
const sent: Mail[] = []
const mailer: Mailer = {
  send: async (mail) => {
    sent.push(mail)
    return { ok: true }
  },
  close: () => {},
}

/** Orders a report for whoever it is. */
async function order(user: TestUser, schedule: string | null, emails: string[] = [], profile: Record<string, unknown> = {}) {
  if (Object.keys(profile).length > 0) expect((await user.call('PATCH', 'settings/profile', profile)).status).toBe(200)
  expect(
    (await user.call('PATCH', 'settings/report-schedule', { report_schedule: schedule, report_emails: emails })).status,
  ).toBe(200)
}
interface Queued {
  to: string
  locale: string
  report: MailParams['report']
}
/** What was queued for a tenant, opened, oldest first. */
async function queued(user: TestUser): Promise<Queued[]> {
  const rows =
    await hub.owner`select * from mails where tenant_id = ${user.tenantId} and template = 'report' order by created_at, to_email`
  return rows.map((row) => ({
    to: row.to_email,
    locale: row.locale,
    report: JSON.parse(hub.deps.box.open(row.sealed_params, `mails/${row.tenant_id}/${row.id}`)),
  }))
}
/** An alert of a machine, as if it had been raised then. */
const alert = (user: TestUser, machineId: string, at: string, values: Record<string, unknown> = {}) => {
  const row = {
    tenant_id: user.tenantId,
    machine_id: machineId,
    unit: 'celsius',
    severity: 'warning',
    metric_name: 'temperature',
    trigger_value: 85,
    threshold_value: 80,
    message: 'hot',
    triggered_at: new Date(at),
    created_at: new Date(at),
    ...values,
  }
  return hub.owner`insert into alerts ${hub.owner(row)}`
}

describe('a report', () => {
  it.each([
    // 2 March 2026 is a Monday; Berlin is an hour ahead of UTC
    ['daily', '2026-03-03T05:59:00Z', '2026-03-03T06:00:00Z', ['2026-03-01T23:00:00.000Z', '2026-03-02T23:00:00.000Z']],
    ['weekly', '2026-03-09T05:59:00Z', '2026-03-09T06:00:00Z', ['2026-03-01T23:00:00.000Z', '2026-03-08T23:00:00.000Z']],
    ['monthly', '2026-04-01T04:59:00Z', '2026-04-01T05:00:00Z', ['2026-02-28T23:00:00.000Z', '2026-03-31T22:00:00.000Z']],
  ])('%s goes out at 7 in the morning of its reader, once, about the time before', async (schedule, before, at, [start, end]) => {
    const admin = await hub.admin()
    await order(admin, schedule, ['b@example.com', 'a@example.com'], { timezone: 'Europe/Berlin', locale: 'de-DE' })
    await run('2026-03-02T12:00:00Z')
    await run(before)
    expect(await queued(admin)).toEqual([])
    await Promise.all([run(at), run(at), run(at)])
    await run(at)
    const mails = await queued(admin)
    expect(mails.map(({ to, locale }) => [to, locale])).toEqual([
      ['a@example.com', 'de'],
      ['b@example.com', 'de'],
    ])
    expect(mails[0]?.report).toMatchObject({ schedule, start, end, timeZone: 'Europe/Berlin', tenant: 'Acme' })
  })

  it('whose period cannot be evaluated holds up no other reader, and is tried again in ten minutes', async () => {
    const [bad, good, changed] = [await hub.admin(), await hub.admin(), await hub.admin()]
    for (const user of [bad, good, changed]) await order(user, 'daily')
    await run('2026-03-02T12:00:00Z')
    await hub.owner.unsafe(`
      alter function report_period(text, text, timestamptz) rename to evaluated_period;
      create function report_period(schedule text, of_zone text, at timestamptz, out zone text, out period_start timestamptz,
        out period_end timestamptz, out next_due timestamptz) language plpgsql stable as $$
      begin
        if of_zone = 'Mars/Olympus' then raise datetime_field_overflow; end if;
        select * into zone, period_start, period_end, next_due from evaluated_period(schedule, of_zone, at);
      end $$`)
    await hub.owner`update users set timezone = 'Mars/Olympus' where tenant_id = ${bad.tenantId}`
    await hub.owner`update report_turns set due_at = '2026-03-03T06:00:00Z' where tenant_id = ${bad.tenantId}`
    await order(changed, 'daily', [], { timezone: 'Europe/Berlin' })
    const errors: string[] = []
    const logger = { ...createLogger('silent'), error: ({ user_id }: { user_id: string }) => errors.push(user_id) }
    await run('2026-03-03T06:59:00Z', { logger })
    await run('2026-03-03T07:00:00Z', { logger })
    expect(await queued(good)).toHaveLength(1)
    expect(await queued(changed)).toHaveLength(1)
    // once by its plan, once by its report
    expect(errors).toHaveLength(2)
    expect(new Set(errors).size).toBe(1)
    await hub.owner.unsafe(`
      drop function report_period(text, text, timestamptz);
      alter function evaluated_period(text, text, timestamptz) rename to report_period`)
    await run('2026-03-03T07:08:59Z')
    expect(await queued(bad)).toHaveLength(0)
    await run('2026-03-03T07:09:00Z')
    expect(await queued(bad)).toHaveLength(1)
  })

  it('lists machines by status, those with the most alerts, and the latest alerts in the tenant’s units', async () => {
    const { admin, machine } = await plant(hub)
    const second = await hub.machine(admin, { name: 'Pump 2', location: 'Hall 3' })
    await hub.owner`update machines set status = 'critical' where id = ${second.id}`
    await admin.call('PATCH', 'settings/units', { unit_preferences: { temperature: 'fahrenheit' } })
    await alert(admin, machine.id, '2026-03-01T23:59:59Z')
    await alert(admin, machine.id, '2026-03-02T00:00:00Z')
    await alert(admin, second.id, '2026-03-02T10:00:00Z', {
      severity: 'critical',
      acknowledged_at: new Date(),
      cleared_at: new Date('2026-03-02T12:00:00Z'),
    })
    await alert(admin, second.id, '2026-03-02T23:59:59.999Z', { unit: 'rpm', metric_name: 'speed', trigger_value: 1_500 })
    await alert(admin, machine.id, '2026-03-03T00:00:00Z')
    await order(admin, 'daily')
    await run('2026-03-02T12:00:00Z')
    await run('2026-03-03T07:00:00Z')
    const [{ to, report }] = (await queued(admin)) as [Queued, ...Queued[]]
    expect(to).toBe((await admin.call('GET', 'auth/me')).body.email)
    expect(report.fleet).toEqual({ healthy: 0, warning: 0, critical: 1, offline: 1 })
    expect(report.alerts).toEqual({ critical: 1, warning: 2, info: 0, unacknowledged: 2, standing: 2 })
    expect(report.before).toEqual({ critical: 0, warning: 1, info: 0 })
    expect(report.latest.map(({ threshold, durationSeconds }) => [threshold, durationSeconds])).toEqual([
      [80, null],
      [176, 7_200],
      [176, null],
    ])
    expect(report.machines).toEqual([
      { name: 'Pump 2', location: 'Hall 3', alerts: 2, critical: 1 },
      { name: 'Press 1', location: null, alerts: 1, critical: 0 },
    ])
    expect(report.latest.map(({ metric, value, unit, isAcknowledged }) => [metric, value, unit, isAcknowledged])).toEqual([
      ['speed', 1_500, 'rpm', false],
      ['temperature', 185, 'fahrenheit', true],
      ['temperature', 185, 'fahrenheit', false],
    ])
  })

  it('has the downtime and the OEE of its time, and the work that is overdue now', async () => {
    const { admin, machine, definition } = await shiftPlant(hub)
    const second = await hub.machine(admin, { name: 'Pump 2', location: 'Hall 3' })
    const stop = (machineId: string, from: string, until: string | null) => hub.owner`
      insert into downtime_records (tenant_id, machine_id, started_at, ended_at) values (${admin.tenantId}, ${machineId}, ${from}, ${until})`
    await stop(machine.id, '2026-03-01T22:00Z', '2026-03-02T01:00Z')
    await stop(machine.id, '2026-03-02T00:30Z', '2026-03-02T02:00Z')
    await stop(machine.id, '2026-03-03T00:00Z', '2026-03-03T02:00Z')
    await stop(second.id, '2026-03-02T18:00Z', null)
    for (const [date, machineId] of [
      ['2026-03-01', machine.id],
      ['2026-03-02', machine.id],
      ['2026-03-02', second.id],
      ['2026-03-03', machine.id],
    ])
      await admin.call('POST', 'shifts/logs', {
        machine_id: machineId,
        shift_definition_id: definition.id,
        shift_date: date,
        actual_start: `${date}T${machineId === second.id ? '16' : '00'}:00Z`,
        actual_end: `${date}T${machineId === second.id ? '20' : '08'}:00Z`,
      })
    await recomputeOee(hub.deps.pools.system, hub.deps, hub.clock.now())
    const order_ = async (title: string, values: object) => {
      const { body } = await admin.call('POST', 'work-orders', { machine_id: machine.id, title, ...values })
      return body.id
    }
    await order_('Later', { due_date: '2026-03-03T07:00:01Z' })
    await order_('Bearing', { due_date: '2026-03-03T06:59:59Z', priority: 'high' })
    const done = await order_('Done', { due_date: '2026-03-01T00:00:00Z' })
    await admin.call('PATCH', `work-orders/${done}`, { status: 'completed' })
    await order(admin, 'daily')
    await run('2026-03-02T12:00:00Z')
    await run('2026-03-03T07:00:00Z')
    const [{ report }] = (await queued(admin)) as [Queued, ...Queued[]]
    expect(report.production).toEqual({
      downtime: {
        hours: 8,
        records: 3,
        machines: [
          { name: 'Pump 2', location: 'Hall 3', hours: 6, records: 1 },
          { name: 'Press 1', location: null, hours: 2, records: 2 },
        ],
      },
      // of the logs of 2 March one lost two of eight hours, the other two of four
      shifts: [
        {
          name: 'Early',
          logs: 2,
          oee: expect.closeTo(66.667, 3),
          availability: expect.closeTo(66.667, 3),
          performance: 100,
          quality: 100,
        },
      ],
      overdue: {
        count: 1,
        orders: [{ title: 'Bearing', machine: 'Press 1', priority: 'high', dueAt: '2026-03-03T06:59:59.000Z' }],
      },
    })
    for (const [locale, words] of [
      ['en', ['Downtime: 8 hours', 'Machines with the most downtime', 'OEE by shift', '66.7 %', 'Overdue work orders', 'high']],
      [
        'de',
        [
          'Stillstand: 8 Stunden',
          'Maschinen mit dem meisten Stillstand',
          'OEE nach Schicht',
          '66,7 %',
          'Überfällige Arbeitsaufträge',
          'hoch',
        ],
      ],
    ] as const) {
      const content = JSON.stringify(mailContentOf('report', locale, { ...report, locale }))
      for (const word of words) expect(content).toContain(word)
    }
  })

  it('lists the machines at risk now, worst first, with their days', async () => {
    const { admin, machine } = await plant(hub)
    const other = await plant(hub)
    const predict = (tenantId: string, machineId: string, score: number, risk: string, days: number | null) => hub.owner`
      insert into machine_predictions (tenant_id, machine_id, health_score, risk_level, days_to_maintenance, days_to_failure, degradation_rate, factors, analyzed_at)
      values (${tenantId}, ${machineId}, ${score}, ${risk}, ${days === null ? null : days / 2}, ${days}, 0, '[]', now())`
    await predict(admin.tenantId, machine.id, 64, 'watch', null)
    const worst = await hub.machine(admin, { name: 'Pump 2', location: 'Hall 3' })
    await predict(admin.tenantId, worst.id, 38, 'critical', 6.24)
    await predict(admin.tenantId, (await hub.machine(admin)).id, 92, 'healthy', 80)
    await predict(other.admin.tenantId, other.machine.id, 10, 'critical', 1)
    const gone = await hub.machine(admin)
    await predict(admin.tenantId, gone.id, 0, 'critical', 0)
    await admin.call('DELETE', `machines/${gone.id}`)
    await order(admin, 'daily')
    await run('2026-03-02T12:00:00Z')
    await run('2026-03-03T07:00:00Z')
    const [{ report }] = (await queued(admin)) as [Queued, ...Queued[]]
    expect(report.predictions).toEqual({
      count: 2,
      machines: [
        { name: 'Pump 2', location: 'Hall 3', risk: 'critical', healthScore: 38, daysToMaintenance: 3.12, daysToFailure: 6.24 },
        { name: 'Press 1', location: null, risk: 'watch', healthScore: 64, daysToMaintenance: null, daysToFailure: null },
      ],
    })
    for (const [locale, words] of [
      ['en', ['Machines at risk', '6.2', 'critical']],
      ['de', ['Gefährdete Maschinen', '6,2', 'kritisch']],
    ] as const) {
      const content = JSON.stringify(mailContentOf('report', locale, { ...report, locale }))
      for (const word of words) expect(content).toContain(word)
    }
  })

  it('shows nothing of another tenant', async () => {
    const [{ admin }, other] = [await plant(hub), await plant(hub)]
    await alert(other.admin, other.machine.id, '2026-03-02T10:00:00Z')
    await order(admin, 'daily')
    await run('2026-03-02T12:00:00Z')
    await run('2026-03-03T07:00:00Z')
    const [mail] = await queued(admin)
    expect(mail?.report).toMatchObject({ alerts: { warning: 0 }, machines: [], latest: [], fleet: { offline: 1 } })
  })

  it('comes once after days of silence, about the latest time, and then as usual', async () => {
    const admin = await hub.admin()
    await order(admin, 'daily')
    await run('2026-03-02T12:00:00Z')
    await run('2026-03-08T09:00:00Z')
    await run('2026-03-08T09:01:00Z')
    await run('2026-03-09T07:00:00Z')
    expect((await queued(admin)).map(({ report }) => report.start)).toEqual([
      '2026-03-07T00:00:00.000Z',
      '2026-03-08T00:00:00.000Z',
    ])
  })

  it('that was caught up at night is not sent again in the morning', async () => {
    const admin = await hub.admin()
    await order(admin, 'daily')
    await run('2026-03-02T12:00:00Z')
    await run('2026-03-05T03:00:00Z')
    await run('2026-03-05T07:00:00Z')
    expect((await queued(admin)).map(({ report }) => report.start)).toEqual([
      '2026-03-03T00:00:00.000Z',
      '2026-03-04T00:00:00.000Z',
    ])
  })

  it.each([
    [
      'Europe/Berlin',
      ['03-28T06:00', '03-29T05:00', '03-30T05:00'],
      ['03-26T23:00', '03-27T23:00', '03-28T23:00', '03-29T22:00'],
    ],
    [
      'Europe/Berlin',
      ['10-24T05:00', '10-25T06:00', '10-26T06:00'],
      ['10-22T22:00', '10-23T22:00', '10-24T22:00', '10-25T23:00'],
    ],
    [
      'America/New_York',
      ['03-07T12:00', '03-08T11:00', '03-09T11:00'],
      ['03-06T05:00', '03-07T05:00', '03-08T05:00', '03-09T04:00'],
    ],
    // where midnight is the hour that does not exist
    [
      'America/Santiago',
      ['09-05T11:00', '09-06T10:00', '09-07T10:00'],
      ['09-04T04:00', '09-05T04:00', '09-06T04:00', '09-07T03:00'],
    ],
  ])('keeps to seven and to whole days where clocks change (%s)', async (timezone, turns, days) => {
    const admin = await hub.admin()
    await order(admin, 'daily', [], { timezone })
    const [first = '', ...others] = turns
    await run(new Date(Date.parse(`2026-${first}:00Z`) - 60_000).toISOString())
    for (const turn of [first, ...others]) {
      const already = (await queued(admin)).length
      await run(new Date(Date.parse(`2026-${turn}:00Z`) - 1_000).toISOString())
      expect(await queued(admin)).toHaveLength(already)
      await run(`2026-${turn}:00Z`)
    }
    const told = (await queued(admin)).map(({ report: { start, end } }) => [start, end])
    expect(told.slice(-2)).toEqual([days.slice(-3, -1), days.slice(-2)].map((pair) => pair.map((at) => `2026-${at}:00.000Z`)))
    expect(told).toHaveLength(3)
  })

  it.each([
    ['de-AT', 'de-AT'],
    ['en-US', 'en-US'],
    ['ar-EG', 'en-GB'],
    ['', 'en-GB'],
  ])('writes dates and numbers as its language does: a reader of "%s" those of %s', async (locale, written) => {
    const admin = await hub.admin()
    await order(admin, 'daily', [], { locale })
    await run('2026-03-02T12:00:00Z')
    await run('2026-03-03T07:00:00Z')
    expect((await queued(admin)).map(({ report }) => report.locale)).toEqual([written])
  })

  it('follows its reader to another time zone', async () => {
    const admin = await hub.admin()
    await order(admin, 'daily', [], { timezone: 'Europe/Berlin' })
    await run('2026-03-02T12:00:00Z')
    await order(admin, 'daily', [], { timezone: 'America/New_York' })
    for (const at of ['02T12:01', '03T06:00', '03T11:59']) await run(`2026-03-${at}:00Z`)
    expect(await queued(admin)).toEqual([])
    await run('2026-03-03T12:00:00Z')
    expect((await queued(admin)).map(({ report }) => report.start)).toEqual(['2026-03-02T05:00:00.000Z'])
  })

  it('that fails delays no other report, and is sent later', async () => {
    const [poor, admin] = [await hub.admin(), await hub.admin()]
    for (const each of [poor, admin]) await order(each, 'daily')
    await run('2026-03-02T12:00:00Z')
    await hub.owner`update report_turns set due_at = due_at - interval '1 second' where tenant_id = ${poor.tenantId}`
    const { box } = hub.deps
    const seal = (text: string, context: string) => {
      if (context.includes(poor.tenantId)) throw new Error('broken')
      return box.seal(text, context)
    }
    await run('2026-03-03T07:00:00Z', { box: { ...box, seal } })
    expect([await queued(poor), (await queued(admin)).length]).toEqual([[], 1])
    await run('2026-03-03T07:09:00Z')
    expect(await queued(poor)).toEqual([])
    await run('2026-03-03T07:10:00Z')
    expect(await queued(poor)).toMatchObject([{ report: { start: '2026-03-02T00:00:00.000Z' } }])
  })

  it('of ten thousand machines is as short as any other', async () => {
    const admin = await hub.admin()
    await hub.owner`
      insert into machines (tenant_id, name, machine_identifier, protocol) select ${admin.tenantId}, 'Press ' || n, 'p-' || n, 'json' from generate_series(1, 10000) n`
    await hub.owner`
      insert into alerts (tenant_id, machine_id, unit, severity, metric_name, trigger_value, threshold_value, message, triggered_at, created_at)
      select tenant_id, id, 'celsius', 'critical', 'temperature', 95, 90, 'hot', '2026-03-02T10:00:00Z', '2026-03-02T10:00:00Z' from machines where tenant_id = ${admin.tenantId}`
    await order(admin, 'daily')
    await run('2026-03-02T12:00:00Z')
    await run('2026-03-03T07:00:00Z')
    const [mail] = await queued(admin)
    expect(mail?.report).toMatchObject({ fleet: { offline: 10_000 }, alerts: { critical: 10_000 } })
    expect([mail?.report.machines.length, mail?.report.latest.length]).toEqual([10, 25])
  })

  it('ends when it is switched off or its reader is deactivated, and follows a new schedule', async () => {
    const admin = await hub.admin()
    const viewer = await hub.colleague(admin, 'viewer')
    await order(viewer, 'daily', ['v@example.com'])
    await order(admin, 'daily')
    await run('2026-03-02T12:00:00Z')
    await order(admin, 'monthly')
    await admin.call('DELETE', `users/${viewer.userId}`)
    await run('2026-03-03T07:00:00Z')
    expect(await queued(admin)).toEqual([])
    await order(admin, null)
    await run('2026-04-01T07:00:00Z')
    expect(await queued(admin)).toEqual([])
    expect(await hub.owner`select 1 from report_turns where tenant_id = ${admin.tenantId}`).toHaveLength(0)
  })

  it('compares with the period before, names units by symbol, and dates its file in the reader’s time zone', () => {
    const content = mailContentOf('report', 'en', { ...full({ locale: 'en-GB' }) })
    expect(content.paragraphs[1]).toBe('Compared with the week before: -3 critical, ±0 warning, ±0 info.')
    expect(content.pdf?.name).toBe('haltless-weekly-2026-03-02.pdf')
    const rows = content.tables?.[1]?.rows ?? []
    expect(rows[1]?.slice(3)).toEqual(['oil_temperature', '86.12 °C', '80 °C', '7 min', 'no'])
    expect(rows[0]?.slice(3)).toEqual(['vibration_rms', '85.12 mm/s', '80 mm/s', 'still active', 'yes'])
    const german = mailContentOf('report', 'de', full())
    expect(german.paragraphs[1]).toBe('Gegenüber der Vorwoche: -3 kritisch, ±0 Warnungen, ±0 Hinweise.')
    // a mail that a hub of the version before queued
    const { before: _, ...older } = full()
    const latest = older.latest.map(({ threshold: _t, durationSeconds: _d, ...alert }) => alert)
    expect(mailContentOf('report', 'de', { ...older, latest }).tables?.[1]?.rows[0]?.slice(4, 7)).toEqual(['85,12 mm/s', '', ''])
  })

  it('is a mail with the same as a PDF attached', async () => {
    const { admin, machine } = await plant(hub)
    await alert(admin, machine.id, '2026-03-02T10:00:00Z')
    await order(admin, 'daily', ['reader@example.com'])
    await run('2026-03-02T12:00:00Z')
    await run('2026-03-03T07:00:00Z')
    const { pools, box } = hub.deps
    await hub.owner`update mails set due_at = '-infinity' where to_email = 'reader@example.com'`
    const stop = await startMailing({
      allTenants: pools.system,
      listen: pools.listen,
      box,
      mailer,
      clock: hub.clock,
      logger: createLogger('silent'),
    })
    try {
      await soon(() => expect(sent.some(({ to }) => to === 'reader@example.com')).toBe(true))
    } finally {
      await stop()
    }
    const mail = sent.find(({ to }) => to === 'reader@example.com') as Mail
    expect(mail.subject).toBe('Daily report of Acme: 2 Mar 2026')
    expect(mail.text).toMatch(/1 alert at Acme, 2 Mar 2026: 0 critical, 1 warning/)
    expect(mail.html).toContain('85 °C')
    const [attachment] = mail.attachments ?? []
    expect(attachment).toMatchObject({ filename: 'haltless-daily-2026-03-02.pdf', contentType: 'application/pdf' })
    expect((await PDFDocument.load(attachment?.content as Buffer)).getPageCount()).toBe(1)
  })
})

const full = (values: Partial<MailParams['report']> = {}): MailParams['report'] => ({
  tenant: 'Müller & Söhne Maschinenbau',
  schedule: 'weekly',
  timeZone: 'Europe/Berlin',
  locale: 'de-DE',
  start: '2026-03-01T23:00:00.000Z',
  end: '2026-03-08T23:00:00.000Z',
  fleet: { healthy: 1_204, warning: 12, critical: 3, offline: 0 },
  alerts: { critical: 9, warning: 41, info: 0, unacknowledged: 7, standing: 2 },
  before: { critical: 12, warning: 41, info: 0 },
  machines: Array.from({ length: 10 }, (_, i) => ({
    name: `Presse ${i + 1} Łódź`,
    location: 'Halle 3, Linie 2',
    alerts: 20 - i,
    critical: i % 3,
  })),
  latest: Array.from({ length: 25 }, (_, i) => ({
    at: new Date(Date.UTC(2026, 2, 8, 20, -37 * i)).toISOString(),
    machine: i === 3 ? 'Eine Maschine mit einem wirklich sehr langen Namen, der nicht passt' : `Presse ${(i % 10) + 1} Łódź`,
    severity: i % 4 === 0 ? 'critical' : 'warning',
    metric: i % 2 ? 'oil_temperature' : 'vibration_rms',
    value: 85.123_456_7 + i,
    threshold: 80,
    unit: i % 2 ? 'celsius' : 'mm/s',
    durationSeconds: i % 5 === 0 ? null : i * 400,
    isAcknowledged: i % 3 === 0,
  })),
  url: 'https://hub.example.com',
  ...values,
})

/** Letters that a PDF has, from the tables that tell readers which glyph is which letter. */
async function lettersOf(pdf: Buffer): Promise<Set<string>> {
  const { context } = await PDFDocument.load(pdf)
  const tables = context
    .enumerateIndirectObjects()
    .flatMap(([, object]) => (object instanceof PDFRawStream ? [Buffer.from(object.contents)] : []))
    .flatMap((bytes) => (bytes.readUInt8() === 0x78 ? [inflateSync(bytes).toString('latin1')] : []))
    .filter((text) => text.includes('beginbfchar'))
  const codes = tables.flatMap((table) => [...table.matchAll(/^<[0-9A-F]{4}> <([0-9A-F]{4})>$/gm)].map((match) => match[1]))
  return new Set(codes.map((code) => String.fromCodePoint(Number.parseInt(code as string, 16))))
}

describe('the PDF', () => {
  it('writes the names of machines all over Europe', async () => {
    const names = ['Łódź Presse 3', 'Вентилятор', 'Ανεμιστήρας', 'Čerpadlo', 'Şişli ığ', 'Ţițeiș'.normalize('NFD'), 'Győr ≥ 5 µm']
    const machines = names.map((name) => ({ name, location: null, alerts: 1, critical: 0 }))
    const letters = await lettersOf(await drawPdf(mailContentOf('report', 'en', full({ machines, latest: [] })), 'en'))
    for (const letter of names.join('').normalize('NFC').replaceAll(' ', '')) expect(letters).toContain(letter)
    expect(letters).not.toContain('□')
  })

  it.each([
    ['en', 'en-GB', -1.7e308, '-1.7E308'],
    ['de', 'de-DE', 2.5e-7, '2,5E-7'],
    ['de', 'de-DE', 123_456_789.4, '123.456.789'],
    ['en', 'en-GB', 85.123_456_7, '85.12'],
    ['en', 'en-GB', 0, '0'],
  ] as const)('writes values so short that they fit (%s, %s, %d)', (language, locale, value, written) => {
    const [alert] = full().latest
    const content = mailContentOf('report', language, full({ locale, latest: [{ ...alert, value } as typeof alert & object] }))
    expect(content.tables?.[1]?.rows[0]?.join(' ')).toContain(` ${written} mm/s`)
  })

  it('cuts no name: long ones go on in the next line, also without spaces', async () => {
    const long = `Fräsmaschine-${'x'.repeat(180)}-Q`
    const machines = [{ name: long, location: 'Halle 3 '.repeat(20).trim(), alerts: 1, critical: 0 }]
    const [alert] = full().latest
    const latest = [{ ...alert, machine: `${long}Ω` } as typeof alert & object]
    const letters = await lettersOf(await drawPdf(mailContentOf('report', 'en', full({ machines, latest })), 'en'))
    for (const letter of ['Q', 'Ω']) expect(letters).toContain(letter)
  })

  it('shows boxes for what its font has not, and says so', async () => {
    const machines = [{ name: '压力机 7', location: 'ማሽን', alerts: 1, critical: 0 }]
    const content = mailContentOf('report', 'en', full({ machines, latest: [] }))
    expect(await lettersOf(await drawPdf(content, 'en'))).toContain('□')
    expect(content.pdf?.unknownLetters).toContain('the mail itself shows them')
  })

  it.each(['en', 'de'] as const)('is drawn over as many pages as it takes (%s)', async (locale) => {
    const pdf = await drawPdf(mailContentOf('report', locale, full({ locale: locale === 'de' ? 'de-DE' : 'en-GB' })), locale)
    const loaded = await PDFDocument.load(pdf)
    expect(loaded.getPageCount()).toBe(2)
    expect(loaded.getTitle()).toContain('Müller & Söhne')
  })

  it('accepts names that its fonts cannot write, and is drawn also without content', async () => {
    const machines = [{ name: '压力机 🏭 Şişli', location: '\u0000\u200b', alerts: 1, critical: 0 }]
    expect((await drawPdf(mailContentOf('report', 'en', full({ tenant: '株式会社', machines })), 'en')).length).toBeGreaterThan(
      1_000,
    )
    const none = { critical: 0, warning: 0, info: 0, unacknowledged: 0, standing: 0 }
    const empty = full({ machines: [], latest: [], alerts: none, fleet: { healthy: 0, warning: 0, critical: 0, offline: 0 } })
    expect((await PDFDocument.load(await drawPdf(mailContentOf('report', 'de', empty), 'de'))).getPageCount()).toBe(1)
  })
})
