import { conversions, DEFAULT_UNIT_PREFERENCES, UNITS } from '@haltless/protocol'
import { languageOf } from '@haltless/protocol/languages'
import type { ReportSchedule } from '../../db/enums.ts'
import type { TransactionSql } from '../../db/pools.ts'
import type { MailParams } from '../mails/index.ts'

const TOP_MACHINES = 10
const LATEST_ALERTS = 25
const STEPS = { daily: '1 day', weekly: '1 week', monthly: '1 month' } as const satisfies Record<ReportSchedule, string>

interface ReportRequest {
  tenantId: string
  tenant: string
  schedule: ReportSchedule
  timeZone: string
  locale: string | null
  /** the tenant's units; others have their default */
  units: Record<string, string>
  start: Date
  /** exclusive */
  end: Date
}

/** Collects the report of a period of a tenant, in its units. */
export async function collectReport(
  tx: TransactionSql,
  request: ReportRequest,
): Promise<Omit<MailParams['report'], 'url' | 'production' | 'predictions'>> {
  const { tenantId, tenant, schedule, timeZone, start, end } = request
  const within = tx`a.tenant_id = ${tenantId} and a.created_at >= ${start} and a.created_at < ${end}`
  const statuses = await tx<{ status: string; n: number }[]>`
    select status, count(*)::int as n from machines where tenant_id = ${tenantId} and is_active group by status`
  const of = (status: string) => statuses.find((row) => row.status === status)?.n ?? 0
  const fleet = { healthy: of('healthy'), warning: of('warning'), critical: of('critical'), offline: of('offline') }
  const [alerts] = await tx<[MailParams['report']['alerts']]>`
    select count(*) filter (where severity = 'critical')::int as critical, count(*) filter (where severity = 'warning')::int as warning,
      count(*) filter (where severity = 'info')::int as info, count(*) filter (where acknowledged_at is null)::int as unacknowledged,
      count(*) filter (where cleared_at is null)::int as standing
    from alerts a where ${within}`
  const [before] = await tx<[MailParams['report']['before']]>`
    select count(*) filter (where severity = 'critical')::int as critical, count(*) filter (where severity = 'warning')::int as warning,
      count(*) filter (where severity = 'info')::int as info
    from alerts a where a.tenant_id = ${tenantId} and a.created_at < ${start}
      and a.created_at >= (${start}::timestamptz at time zone ${timeZone} - ${STEPS[schedule]}::interval) at time zone ${timeZone}`
  // Ranks alerts first, so that only the top machines of thousands are queried.
  const machines = await tx<MailParams['report']['machines']>`
    select m.name, m.location, top.alerts, top.critical from (
      select machine_id, count(*)::int as alerts, count(*) filter (where severity = 'critical')::int as critical
      from alerts a where ${within} group by machine_id order by 2 desc, 3 desc, 1 limit ${TOP_MACHINES}) top
    join machines m on m.tenant_id = ${tenantId} and m.id = top.machine_id order by 3 desc, 4 desc, 1`
  const latest = await tx<(Omit<MailParams['report']['latest'][number], 'at' | 'threshold'> & { at: Date; threshold: number })[]>`
    select a.created_at as at, m.name as machine, a.severity, a.metric_name as metric, a.trigger_value as value, a.threshold_value as threshold, a.unit,
      case when a.cleared_at is not null then greatest(0, extract(epoch from a.cleared_at - a.triggered_at)) end::float8 as "durationSeconds", a.acknowledged_at is not null as "isAcknowledged"
    from (
      select a.machine_id, a.created_at, a.id, a.severity, a.metric_name, a.trigger_value, a.threshold_value, a.unit, a.triggered_at, a.cleared_at,
        a.acknowledged_at
      from alerts a where ${within} order by a.created_at desc, a.id desc limit ${LATEST_ALERTS}) a
    join machines m on m.tenant_id = ${tenantId} and m.id = a.machine_id order by a.created_at desc, a.id desc`
  const convert = unitConverter({ ...DEFAULT_UNIT_PREFERENCES, ...request.units })
  return {
    tenant,
    schedule,
    timeZone,
    locale: speaks(request.locale) ? request.locale : 'en-GB',
    start: start.toISOString(),
    end: end.toISOString(),
    fleet,
    alerts,
    before,
    machines: [...machines],
    latest: latest.map((alert) => ({
      ...alert,
      ...convert(alert.value, alert.unit),
      threshold: convert(alert.threshold, alert.unit).value,
      at: alert.at.toISOString(),
    })),
  }
}

/** Whether mails exist in a locale's language; otherwise only dates and numbers would follow the locale. */
const speaks = (locale: string | null): locale is string =>
  locale !== null && new Intl.Locale(locale).language === languageOf(locale)

/** Converts values to the tenant's preferred units; units without a category stay. */
function unitConverter(preferences: Record<string, string>): (value: number, unit: string) => { value: number; unit: string } {
  const known = conversions()
  const preferred = (unit: string) => {
    const category = Object.entries(UNITS).find(([, units]) => (units as readonly string[]).includes(unit))?.[0]
    return category && preferences[category]
  }
  return (value, unit) => {
    const to = preferred(unit)
    const way = known.find((each) => each.from_unit === unit && each.to_unit === to)
    return way ? { value: value * way.factor + way.offset, unit: way.to_unit } : { value, unit }
  }
}
