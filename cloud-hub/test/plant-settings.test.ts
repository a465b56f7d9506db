import { describe, expect, it } from 'vitest'
import { type TestUser, useHub } from './harness.ts'

const hub = useHub()
const christmas = { date: '2026-12-25', name: 'Christmas Day', group_id: null }
const boxing = { date: '2026-12-26', name: 'Boxing Day', group_id: null }

describe('the settings of the plant', () => {
  it('have the time zone UTC until an admin sets another, for the whole tenant and nobody else', async () => {
    const admin = await hub.admin()
    const viewer = await hub.colleague(admin, 'viewer')
    const settings = async (user = viewer) => (await user.call('GET', 'settings/plant')).body
    const initial = { time_zone: 'UTC', non_production_days: [], auto_shift_logs: false, version: expect.any(String) }
    expect(await settings()).toEqual(initial)
    const berlin = { ...initial, time_zone: 'Europe/Berlin' }
    expect((await admin.call('PATCH', 'settings/plant', { time_zone: 'Europe/Berlin' })).body).toEqual(berlin)
    expect((await admin.call('PATCH', 'settings/plant', {})).body).toEqual(berlin)
    expect(await settings()).toEqual(berlin)
    expect(await settings(await hub.admin())).toEqual(initial)
    const { items } = (await admin.call('GET', 'audit-log?target_type=tenant')).body
    expect(items[0]).toMatchObject({ before: { time_zone: 'UTC' }, after: { time_zone: 'Europe/Berlin' } })
  })

  it.each(['', 'Mars/Base', '+02:00', 7, null])('refuse the time zone %o', async (time_zone) => {
    expect((await (await hub.admin()).call('PATCH', 'settings/plant', { time_zone })).status).toBe(422)
  })

  it('replace the non-production days, keep the other settings, and audit each changed day', async () => {
    const admin = await hub.admin()
    const patch = async (body: object) => (await admin.call('PATCH', 'settings/plant', body)).body
    expect((await patch({ non_production_days: [boxing, christmas], auto_shift_logs: true })).non_production_days).toEqual([
      christmas,
      boxing,
    ])
    const renamed = { ...christmas, name: 'Weihnachten' }
    expect(await patch({ non_production_days: [renamed] })).toEqual({
      time_zone: 'UTC',
      version: expect.any(String),
      non_production_days: [renamed],
      auto_shift_logs: true,
    })
    const { items } = (await admin.call('GET', 'audit-log?target_type=non_production_day')).body
    expect(items.map(({ action, target }: { action: string; target: { name: string } }) => [action, target.name])).toEqual([
      ['non_production_day.updated', 'Weihnachten'],
      ['non_production_day.deleted', 'Boxing Day'],
      ['non_production_day.created', 'Boxing Day'],
      ['non_production_day.created', 'Christmas Day'],
    ])
    expect((await patch({ non_production_days: [] })).non_production_days).toEqual([])
  })

  it('hold the days of one of two people who replace them at once, and never a mixture', async () => {
    const admin = await hub.admin()
    const days = () => admin.call('GET', 'settings/plant').then(({ body }) => body.non_production_days)
    for (let round = 0; round < 10; round++) {
      await admin.call('PATCH', 'settings/plant', { non_production_days: [] })
      await Promise.all([christmas, boxing].map((day) => admin.call('PATCH', 'settings/plant', { non_production_days: [day] })))
      expect([[christmas], [boxing]]).toContainEqual(await days())
    }
  })

  it.each<[string, unknown]>([
    ['a day that does not exist', [{ date: '2026-02-30', name: 'x' }]],
    ['a date of the year 0', [{ date: '0000-01-01', name: 'x' }]],
    ['a day without a name', [{ date: '2026-02-03' }]],
    ['a date twice', [christmas, { ...christmas, name: 'again' }]],
    ['more than 10,000 days', Array.from({ length: 10_001 }, (_, i) => ({ ...christmas, date: dateAt(i) }))],
  ])('refuse %s', async (_, non_production_days) => {
    const { status, body } = await (await hub.admin()).call('PATCH', 'settings/plant', { non_production_days })
    expect([status, body.errors?.[0]?.path.startsWith('body.non_production_days')]).toEqual([422, true])
  })

  it('hold 10,000 days', async () => {
    const days = Array.from({ length: 10_000 }, (_, i) => ({ date: dateAt(i), name: 'x', group_id: null }))
    const { body } = await (await hub.admin()).call('PATCH', 'settings/plant', { non_production_days: days })
    expect(body.non_production_days).toEqual(days)
  })
})

const dateAt = (i: number) => new Date(Date.UTC(2020, 0, 1 + i)).toISOString().slice(0, 10)

async function importFile(user: TestUser, text: string) {
  const body = `--edge\r\ncontent-disposition: form-data; name="file"; filename="days"\r\n\r\n${text}\r\n--edge--\r\n`
  const type = { 'content-type': 'multipart/form-data; boundary=edge' }
  return user.call('POST', 'settings/plant/non-production-days/import', body, type)
}
const daysOf = async (user: TestUser) => (await user.call('GET', 'settings/plant')).body.non_production_days

describe('an import of non-production days', () => {
  it('adds the rows of a CSV file, renames days that exist, and reports rows that it cannot read', async () => {
    const admin = await hub.admin()
    await admin.call('PATCH', 'settings/plant', { non_production_days: [{ date: '2026-01-01', name: 'Old' }, boxing] })
    const file = 'Name;Date\nNew Year;2026-01-01\nNever;2026-02-30\nChristmas Day;2026-12-25\nSecond;2026-12-25\n;2026-05-01\n'
    expect((await importFile(admin, file)).body).toMatchObject({
      total_rows: 5,
      success_count: 3,
      failed_count: 2,
      errors: [
        { row: 3, reason: 'date: must be a date such as 2026-12-25', faults: [{ path: 'date', code: 'invalid_date' }] },
        { row: 6, reason: 'name: must not be empty', faults: [{ path: 'name', code: 'empty' }] },
      ],
    })
    expect(await daysOf(admin)).toEqual([{ date: '2026-01-01', name: 'New Year', group_id: null }, christmas, boxing])
  })

  it('adds the whole days of an iCalendar file', async () => {
    const admin = await hub.admin()
    const file = [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      ...['BEGIN:VEVENT', 'DTSTART;VALUE=DATE:20261225', 'DTEND;VALUE=DATE:20261227', 'SUMMARY:Christ', ' mas', 'END:VEVENT'],
      ...['BEGIN:VEVENT', 'DTSTART:20260501T080000Z', 'SUMMARY:Meeting', 'END:VEVENT'],
      'END:VCALENDAR',
    ].join('\r\n')
    expect((await importFile(admin, file)).body).toMatchObject({
      total_rows: 2,
      success_count: 1,
      failed_count: 1,
      errors: [{ row: 9, reason: 'is not an event of whole days', faults: [{ path: '', code: 'not_whole_days' }] }],
    })
    expect(await daysOf(admin)).toEqual([
      { date: '2026-12-25', name: 'Christmas', group_id: null },
      { date: '2026-12-26', name: 'Christmas', group_id: null },
    ])
  })

  it.each([
    ['without the columns', 'day,title\n2026-12-25,x\n'],
    ['that is empty', ''],
    ['that is a calendar cut off in an event', 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260101\n'],
    ['with more than 2,000 rows', `date,name\n${'2026-12-25,x\n'.repeat(2_001)}`],
  ])('refuses a file %s', async (_, text) => {
    const { status, body } = await importFile(await hub.admin(), text)
    expect([status, body.code]).toEqual([422, 'file_unreadable'])
  })

  it('refuses more days than a tenant may have, and changes none then', async () => {
    const admin = await hub.admin()
    const days = Array.from({ length: 10_000 }, (_, i) => ({ date: dateAt(i), name: 'x' }))
    await admin.call('PATCH', 'settings/plant', { non_production_days: days })
    expect((await importFile(admin, `date,name\n${dateAt(0)},y\n`)).status).toBe(200)
    expect((await importFile(admin, `date,name\n${dateAt(0)},z\n2055-01-01,z\n`)).status).toBe(422)
    expect((await daysOf(admin)).map(({ name }: { name: string }) => name).filter((name: string) => name !== 'x')).toEqual(['y'])
  })
})
