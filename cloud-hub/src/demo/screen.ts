import { type PlantMachine, plantMachines } from '@haltless/edge-agent/plant'
import { shellQuote } from '@haltless/edge-agent/shell-quote'
import { unitSymbol } from '@haltless/protocol'
import type { DemoApi } from './api.ts'
import type { ReceivedAlert } from './receiver.ts'
import type { DemoAccess } from './tenant.ts'

type Tag = PlantMachine['tags'][number]
type Level = 'healthy' | 'warning' | 'critical'

/** One metric of a machine; `value` is empty until the first reading. */
interface Cell {
  metric: string
  value: string
  unit: string
  level: Level
}
export interface MachineView {
  name: string
  status: string
  /** metrics with rules come first */
  cells: Cell[]
}

const ALERTS_SHOWN = 6
const GAP = '   '
const STATUS_WIDTH = 8
const COLOURS: Record<string, number> = { healthy: 32, warning: 33, critical: 31, offline: 90 }

const paint = (text: string, key: string, isColoured: boolean) =>
  isColoured && COLOURS[key] ? `\x1b[${COLOURS[key]}m${text}\x1b[0m` : text
const clip = (text: string, width: number) => (text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text)
const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length))

/** Rounds to the digits that a person reading a panel needs. */
function shown(value: number, unit: string): string {
  if (unit === 'bool') return value === 0 ? 'off' : 'on'
  if (unit === 'count' || Math.abs(value) >= 1_000) return value.toFixed(0)
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2)
}

/** The static part: addresses, credentials and next steps. */
export function renderHeading(
  access: DemoAccess,
  token: string,
  mqttPort: number | null,
  files: { data: string; agent: string; database: string | null },
  next: { pumpId: string; refusal: string | null },
): string {
  const rows = [
    ['Open in a browser', `${access.url}/sign-in#demo=${token}${GAP}(signs in once, within an hour)`],
    ['API', `${access.url}/api/v1`],
    ['API reference', `${access.url}/docs`],
    ['or sign in with', `${access.email}${GAP}${access.password}`],
    ['MQTT', `mqtt://127.0.0.1:${mqttPort} or ${access.url.replace('http', 'ws')}/mqtt`],
    ['All of this in', `${files.data}/demo.json (logs: ${files.data}/logs)`],
    ['Edge agent', `npm run agent -- status --config ${shellQuote(files.agent)}`],
    // as root, PostgreSQL runs as another user, who may be unable to enter the data directory
    ...(files.database && !files.database.startsWith(files.data) ? [['Database in', files.database] as const] : []),
  ] as const
  const width = widest(rows.map(([name]) => name))
  return [
    '',
    'Haltless runs: a hub, a simulated plant of five machines, and its edge agent.',
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(width)}${GAP}${value}`),
    '',
    ...nextSteps(access, next),
    '',
  ].join('\n')
}

/** Four commands for a second terminal, ready to paste, and the token that three of them send; or why there is no token. */
function nextSteps(
  { url, token, api_key }: DemoAccess,
  { pumpId, refusal }: { pumpId: string; refusal: string | null },
): string[] {
  if (token === null)
    return [
      '  There are no commands to try, because the hub gives no access token for them:',
      `  ${refusal}`,
      '  The next start tries again.',
    ]
  const json = (body: object) => `-H 'content-type: application/json' -d ${shellQuote(JSON.stringify(body))}`
  const reading = { machine_identifier: 'pump-01', metric_name: 'noise', value: 71.5, unit: 'decibel', timestamp: 'NOW' }
  const readings = json({ readings: [reading] }).replace('NOW', `'$(date -u +%FT%TZ)'`)
  const bearer = `-H "authorization: Bearer $token"`
  return [
    '  Four things to try in another terminal, with a token that only reads:',
    '',
    `     token=${token}`,
    '  1. List the machines',
    `     curl -s ${url}/api/v1/machines ${bearer}`,
    '  2. Follow the pump as its bearing fails: values, status and alerts (Ctrl-C ends it)',
    `     curl -sN '${url}/api/v1/stream?machine_id=${pumpId}' ${bearer}`,
    '  3. Send a reading of your own, which appears in the stream of step 2',
    `     curl -s ${url}/api/v1/ingest -H 'x-api-key: ${api_key}' ${readings}`,
    '  4. See why machines were stopped, after a few minutes',
    `     curl -s ${url}/api/v1/fleet/downtime/pareto ${bearer}`,
  ]
}

/** Loads machines with their latest values, in the plant's order. */
export async function loadMachineViews(api: DemoApi): Promise<MachineView[]> {
  const { items } = await api.get('/machines', { query: { page_size: 100 } })
  return Promise.all(
    plantMachines.flatMap((machine) => {
      const found = items.find((item) => item.machine_identifier === machine.id)
      if (!found) return []
      return [
        api.get('/machines/{machine_id}/readings/latest', { path: { machine_id: found.id } }).then(({ readings }) => ({
          name: found.name,
          status: found.status,
          cells: ruledFirst(machine).map((tag) => cell(machine, tag, readings[tag.metric]?.value)),
        })),
      ]
    }),
  )
}

const ruledFirst = ({ tags, rules }: PlantMachine): Tag[] => [
  ...rules.flatMap(({ metric }) => tags.find((tag) => tag.metric === metric) ?? []),
  ...tags.filter(({ metric }) => !rules.some((rule) => rule.metric === metric)),
]

function cell({ rules }: PlantMachine, { metric, unit, range }: Tag, value: number | undefined): Cell {
  const room = widest(range.map((end) => shown(end, unit)))
  const rule = rules.find((candidate) => candidate.metric === metric)
  const beyond = (threshold: number) =>
    rule !== undefined && value !== undefined && (rule.critical < rule.warning ? value < threshold : value > threshold)
  return {
    metric,
    // as wide as the range of the metric, so that columns keep their width while values change
    value: (value === undefined ? '' : shown(value, unit)).padStart(room),
    unit: unitSymbol(unit),
    level: rule && beyond(rule.critical) ? 'critical' : rule && beyond(rule.warning) ? 'warning' : 'healthy',
  }
}

/** The dynamic part: a table of machines, and the last alerts that the receiver got; at most `rows` lines. */
export function renderStatus(
  machines: MachineView[],
  alerts: readonly ReceivedAlert[],
  options: { columns: number; rows: number; isColoured: boolean },
): string {
  const { columns, rows } = options
  const table = machineTable(machines, options)
  const legend = ['', '  Ctrl-C stops everything; the next start goes on where this one was.']
  const room = rows - table.length - legend.length - 2
  if (room < 1) return table.slice(0, Math.max(1, rows)).join('\n')
  const received = alerts
    .slice(-Math.min(ALERTS_SHOWN, room))
    .map(
      ({ at, severity, message }) =>
        `  ${at.toTimeString().slice(0, 8)}${GAP}${paint(severity.padEnd(STATUS_WIDTH), severity, options.isColoured)}${GAP}${clip(message, columns - 24)}`,
    )
  const title = '  Alerts that reached the webhook receiver'
  const none = '  No alert yet. The pump has a bad bearing: watch its vibration, about a minute.'
  return [...table, '', clip(received.length > 0 ? title : none, columns), ...received, ...legend].join('\n')
}

/** A table row per machine, with as many metrics as fit the width. */
function machineTable(machines: MachineView[], { columns, isColoured }: { columns: number; isColoured: boolean }): string[] {
  const nameWidth = widest(['Machine', ...machines.map(({ name }) => name)])
  let left = columns - 2 - nameWidth - GAP.length - STATUS_WIDTH
  const widths: { metric: number; value: number; unit: number }[] = []
  for (let i = 0; machines.some(({ cells }) => cells[i]); i++) {
    const column = machines.flatMap(({ cells }) => cells[i] ?? [])
    const width = {
      metric: widest(column.map(({ metric }) => metric)),
      value: widest(column.map(({ value }) => value)),
      unit: widest(column.map(({ unit }) => unit)),
    }
    left -= GAP.length + width.metric + 1 + width.value + 1 + width.unit
    if (left < 0 && i > 0) break
    // the first metric is always shown; in a narrow window its name is truncated
    if (left < 0) width.metric = Math.max(6, width.metric + left)
    widths.push(width)
  }
  const present = ({ metric, value, unit, level }: Cell, i: number) => {
    const width = widths[i] as (typeof widths)[number]
    const number = value.padStart(width.value)
    return `${clip(metric, width.metric).padEnd(width.metric)} ${level === 'healthy' ? number : paint(number, level, isColoured)} ${unit.padEnd(width.unit)}`
  }
  return [
    `  ${'Machine'.padEnd(nameWidth)}${GAP}${'Status'.padEnd(STATUS_WIDTH)}${GAP}Latest values`,
    ...machines.map(({ name, status, cells }) =>
      [
        `  ${name.padEnd(nameWidth)}`,
        paint(status.padEnd(STATUS_WIDTH), status, isColoured),
        ...cells.slice(0, widths.length).map(present),
      ]
        .join(GAP)
        .trimEnd(),
    ),
  ]
}
