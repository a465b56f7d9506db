import type postgres from 'postgres'
import { analyzeMachines } from '../../../src/features/predictions/health/index.ts'
import { recomputeBaselines } from '../../../src/features/telemetry/baselines/index.ts'
import { packedStore } from '../../../src/readings/index.ts'
import { evenly, INSERTS, storeReadings } from '../../support/stored-readings.ts'
import { call } from '../call.ts'
import type { Company } from './company.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

interface Metric {
  metric: string
  unit: string
  level: number
  /** how far the value moves around its level */
  swing: number
  /** how much the level rises each day */
  rise?: number
  warning?: number
  critical?: number
}

const MOTOR: Metric[] = [
  { metric: 'bearing_temperature', unit: 'celsius', level: 61, swing: 4, warning: 75, critical: 85 },
  { metric: 'vibration', unit: 'mm/s', level: 2.3, swing: 0.6, warning: 4.5, critical: 7.1 },
  { metric: 'motor_current', unit: 'ampere', level: 18, swing: 3 },
]
const MILL: Metric[] = [
  { metric: 'spindle_speed', unit: 'rpm', level: 8_000, swing: 900 },
  { metric: 'spindle_temperature', unit: 'celsius', level: 44, swing: 5, warning: 60, critical: 70 },
  { metric: 'coolant_pressure', unit: 'bar', level: 22, swing: 1.5 },
]
const PRESS: Metric[] = [
  { metric: 'oil_temperature', unit: 'celsius', level: 48, swing: 3, warning: 60, critical: 68 },
  { metric: 'pressure', unit: 'bar', level: 182, swing: 12 },
  { metric: 'total_count', unit: 'count', level: 5_000, swing: 0, rise: 8_000 },
]
const worn = (metrics: Metric[], rises: Record<string, number>): Metric[] =>
  metrics.map((it) => ({ ...it, rise: rises[it.metric] ?? it.rise }))

interface Given {
  id: string
  name: string
  location: string | null
  metrics: Metric[]
  /** the newest value, where it is beside the usual ones */
  now?: Record<string, number>
  /** no reading of the last hours arrives */
  isSilent?: boolean
}

const given = (id: string, name: string, location: string | null, metrics: Metric[], more: Partial<Given> = {}): Given => ({
  id,
  name,
  location,
  metrics,
  ...more,
})
const MACHINES: Given[] = [
  given('pump-01', 'Cooling water pump 1', 'Hall 1', worn(MOTOR, { vibration: 0.07, bearing_temperature: 0.4 }), {
    now: { vibration: 7.6, bearing_temperature: 78 },
  }),
  given('pump-02', 'Cooling water pump 2', 'Hall 1', MOTOR),
  given('mill-01', '5-axis mill DMU 75', 'Hall 2', MILL),
  given('mill-02', '5-axis mill DMU 75 (apprentice workshop, second floor)', 'Hall 2', MILL),
  given('press-01', 'Hydraulic press 400 t', 'Hall 3', PRESS, { now: { oil_temperature: 62.4 } }),
  given('press-02', 'Hydraulic press 630 t', 'Hall 3', PRESS),
  given('comp-01', 'Screw compressor', 'Boiler house', worn(MOTOR, { bearing_temperature: 0.5 }), {
    now: { bearing_temperature: 77 },
  }),
  given('conv-01', 'Conveyor, line 1', 'Hall 3', MOTOR),
  given('conv-02', 'Conveyor, line 2', 'Hall 3', MOTOR, { isSilent: true }),
  given('robot-01', 'Welding robot', 'Hall 4', MOTOR),
  given('robot-02', 'Palletizing robot', 'Hall 4', MOTOR),
  given('oven-01', 'Annealing furnace', 'Hall 4', [
    { metric: 'temperature', unit: 'celsius', level: 640, swing: 8, warning: 690, critical: 720 },
    { metric: 'gas_flow', unit: 'm3/h', level: 41, swing: 4 },
  ]),
  given('fan-01', 'Exhaust fan', null, MOTOR, { isSilent: true }),
  given('dryer-01', 'Compressed-air dryer', 'Boiler house', [
    { metric: 'dew_point', unit: 'celsius', level: 3, swing: 1 },
    { metric: 'energy', unit: 'kWh', level: 120, swing: 0, rise: 90 },
  ]),
]

/** Days with a reading each `stepMs`. */
const HISTORY = { days: 21, stepMs: 120_000 }

/** Adds the machines with their rules and three weeks of readings, which raise no alert. @returns ids by machine_identifier */
export async function addMachines(company: Company, owner: postgres.Sql): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  const start = Date.now() - HISTORY.days * DAY_MS
  for (const { id, name, location, metrics, now, isSilent } of MACHINES) {
    const protocol = id.startsWith('mill') ? 'opc_ua' : 'modbus_tcp'
    const machine = await company.call('POST', 'machines', { name, machine_identifier: id, protocol, location })
    ids.set(id, machine.id)
    for (const { metric, warning, critical } of metrics)
      if (warning && critical) {
        const thresholds = { warning_threshold: warning, critical_threshold: critical }
        await company.call('POST', 'alert-rules', { machine_id: machine.id, metric_name: metric, ...thresholds })
      }
    const end = Date.now() - (isSilent ? 5 * HOUR_MS : 0)
    await storeReadings(
      owner,
      metrics.map((it, n) => ({
        machineId: machine.id,
        metric: it.metric,
        unit: it.unit,
        ...evenly(start, end, HISTORY.stepMs, (_, at) => towards(now?.[it.metric], valueAt(it, at, n), at)),
      })),
    )
  }
  await recomputeBaselines(owner, packedStore(INSERTS), new Date())
  await addAnomalies(company, owner)
  await analyzeMachines(owner, packedStore(INSERTS), new Date(), () => false)
  return ids
}

/** A value with the rhythm of a day and of some minutes, and a little noise, the same in every run. */
function valueAt({ level, swing, rise = 0 }: Metric, at: number, n: number): number {
  const days = (at - Date.now()) / DAY_MS
  const rhythm = 0.6 * Math.sin((at / DAY_MS) * 2 * Math.PI + n) + 0.25 * Math.sin((at / HOUR_MS) * 2.3 + n)
  const noise = 0.3 * Math.sin(at * 12.9898 + n)
  return Number((level + rise * (days + HISTORY.days) + swing * (rhythm + noise)).toFixed(2))
}

/** A machine that fails now has been on the way there for some hours. */
const towards = (now: number | undefined, usual: number, at: number): number =>
  now === undefined ? usual : Number((usual + (now - usual) * Math.exp((at - Date.now()) / (2 * HOUR_MS))).toFixed(2))

async function addAnomalies({ tenantId }: Company, owner: postgres.Sql): Promise<void> {
  await owner`
    insert into anomaly_events (tenant_id, machine_id, series_id, metric_name, unit, value, sigma, baseline_mean, baseline_std_dev, started_at, ended_at)
    select s.tenant_id, s.machine_id, s.id, s.metric, s.unit, 5.4 + n, 3.6 + n, 2.3, 0.8, now() - n * interval '9 hours',
      now() - n * interval '9 hours' + interval '20 minutes'
    from series s join machines m on m.tenant_id = s.tenant_id and m.id = s.machine_id, generate_series(1, 6) n
    where s.tenant_id = ${tenantId} and m.machine_identifier in ('pump-01', 'comp-01') and s.metric = 'vibration'`
}

/** Sends the values of now, which set the status of each machine and raise the open alerts. */
export async function sendReadings({ url, key }: Company): Promise<void> {
  const timestamp = new Date().toISOString()
  const readings = MACHINES.filter(({ isSilent }) => !isSilent).flatMap(({ id, metrics, now }) =>
    metrics.map((it, n) => ({
      machine_identifier: id,
      metric_name: it.metric,
      unit: it.unit,
      value: now?.[it.metric] ?? valueAt(it, Date.now(), n),
      timestamp,
    })),
  )
  await call(url, 'POST', 'ingest', { readings }, { 'x-api-key': key })
}
