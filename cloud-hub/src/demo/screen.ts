import { plantMachines } from '@haltless/edge-agent/plant'
import type { DemoApi } from './api.ts'
import type { ReceivedAlert } from './receiver.ts'
import type { DemoAccess } from './tenant.ts'

export interface MachineView {
  name: string
  status: string
  values: string
}

const ALERTS_SHOWN = 6
const METRICS_SHOWN = 3
const COLOURS: Record<string, number> = { healthy: 32, warning: 33, critical: 31, offline: 90, info: 36 }

const paint = (text: string, key: string, isColoured: boolean) => (isColoured ? `\x1b[${COLOURS[key] ?? 0}m${text}\x1b[0m` : text)
const clip = (text: string, width: number) => (text.length > width ? `${text.slice(0, width - 1)}…` : text)

/** The part that stays: how to get in, and what to look at. */
export function heading(access: DemoAccess, mqttPort: number | null, dataDir: string): string {
  const rows = [
    ['API', `${access.url}/api/v1`],
    ['API reference', `${access.url}/docs`],
    ['Sign in with', `${access.email}   ${access.password}`],
    ['MQTT', `mqtt://127.0.0.1:${mqttPort}, and ${access.url.replace('http', 'ws')}/mqtt`],
    ['Also in', `${dataDir}/demo.json   (logs: ${dataDir}/logs)`],
  ] as const
  const width = Math.max(...rows.map(([name]) => name.length))
  return `\nHaltless runs: a hub, a simulated plant of five machines, and the edge agent that polls it.\n\n${rows.map(([name, value]) => `  ${name.padEnd(width)}   ${value}`).join('\n')}\n`
}

/** Machines with their first metrics as they are now, in the plant's order. */
export async function viewMachines(api: DemoApi): Promise<MachineView[]> {
  const { items } = await api.call<{ items: { id: string; machine_identifier: string; name: string; status: string }[] }>(
    'GET',
    '/machines?page_size=100',
  )
  return Promise.all(
    plantMachines.flatMap((machine) => {
      const found = items.find((item) => item.machine_identifier === machine.id)
      if (!found) return []
      return [
        api
          .call<{ readings: Record<string, { value: number; unit: string }> }>('GET', `/machines/${found.id}/readings/latest`)
          .then(({ readings }) => ({
            name: found.name,
            status: found.status,
            values: machine.tags
              .slice(0, METRICS_SHOWN)
              .flatMap(({ metric }) =>
                readings[metric] ? [`${metric} ${Number(readings[metric].value.toFixed(2))} ${readings[metric].unit}`] : [],
              )
              .join('   '),
          })),
      ]
    }),
  )
}

/** The part that changes: a table of machines, and the last alerts that reached the receiver. */
export function body(
  machines: MachineView[],
  alerts: ReceivedAlert[],
  options: { columns: number; isColoured: boolean },
): string {
  const name = Math.max(7, ...machines.map((machine) => machine.name.length))
  const room = options.columns - name - 17
  const lines = machines.map(
    (machine) =>
      `  ${machine.name.padEnd(name)}   ${paint(machine.status.padEnd(9), machine.status, options.isColoured)}   ${clip(machine.values, room)}`,
  )
  const received = alerts
    .slice(-ALERTS_SHOWN)
    .map(
      (alert) =>
        `  ${alert.at.toTimeString().slice(0, 8)}   ${paint(alert.severity.padEnd(9), alert.severity, options.isColoured)}   ${clip(alert.message, options.columns - 26)}`,
    )
  return [
    `  ${'Machine'.padEnd(name)}   ${'Status'.padEnd(9)}   Latest values`,
    ...lines,
    '',
    received.length > 0
      ? '  Alerts delivered to the webhook receiver'
      : '  No alert yet: the bearing of the pump begins to fail, watch its vibration (about a minute).',
    ...received,
    '',
    '  Ctrl-C stops everything; the next start goes on where this one was.',
  ].join('\n')
}
