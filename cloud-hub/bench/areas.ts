/** The areas of rows, and the files that measure them. */
export const AREAS: Record<string, Record<string, readonly string[]>> = {
  codec: { 'protocol/bench/codec.ts': ['codec.bytes', 'codec.cpu', 'wire.live', 'wire.live10'] },
  buffer: {
    'edge-agent/bench/buffer.ts': [
      'buffer.append',
      'buffer.drain',
      'buffer.live',
      'buffer.live10',
      'buffer.bytes',
      'buffer.bytes10',
      'buffer.wear',
      'buffer.wear10',
    ],
  },
  collect: {
    'edge-agent/bench/collect.ts': ['collect.modbus', 'collect.opcua'],
    'edge-agent/bench/node-red.ts': ['collect.node-red.cpu', 'collect.node-red.memory'],
  },
  ingest: {
    'cloud-hub/bench/ingest.ts': [
      'ingest.json.backlog',
      'ingest.json.live',
      'ingest.mqtt.backlog',
      'ingest.mqtt.live',
      'ingest.keys',
      'ingest.keys.bytes',
      'ingest.growth',
      'ingest.growth.live',
      'ingest.wide',
    ],
    'cloud-hub/bench/first-contact.ts': ['ingest.contact.slowest', 'ingest.contact.memory'],
    'cloud-hub/bench/late.ts': ['ingest.late'],
    'cloud-hub/bench/steady.ts': ['ingest.steady'],
    'cloud-hub/bench/soak.ts': ['ingest.soak.memory', 'ingest.soak.healthz'],
  },
  alert: { 'cloud-hub/bench/alert.ts': ['alert.webhook.p50', 'alert.webhook.p99', 'alert.busy.p50', 'alert.busy.p99'] },
  api: { 'cloud-hub/bench/api.ts': ['api.latest', 'api.machines'] },
  readings: {
    'cloud-hub/bench/readings.ts': ['readings.hours', 'readings.scan', 'readings.raw', 'readings.minutes'],
    'cloud-hub/bench/stored.ts': ['readings.stored', 'readings.stored.noisy', 'readings.stored.doubles'],
  },
  machines: { 'cloud-hub/bench/machines.ts': ['machines.list'] },
  shifts: { 'cloud-hub/bench/shifts.ts': ['shifts.comparison'] },
  fleet: {
    'cloud-hub/bench/fleet.ts': [
      'fleet.status',
      'fleet.sites.comparison',
      'fleet.figures',
      'fleet.figures.days',
      'fleet.mttr-mtbf',
    ],
  },
  jobs: { 'cloud-hub/bench/jobs.ts': ['jobs.idle', 'jobs.statement'] },
  unread: { 'cloud-hub/bench/unread.ts': ['unread.memory', 'unread.p99'] },
  limit: { 'cloud-hub/bench/limit.ts': ['limit.cost'] },
  tags: { 'cloud-hub/bench/tags.ts': ['tags.suggest'] },
  console: {
    'cloud-hub/bench/console.ts': [
      'console.load.bytes',
      'console.load.paint',
      'console.chart.90d',
      'console.chart.zoom',
      'console.alerts',
      'console.machines',
      'console.memory',
    ],
  },
  predictions: { 'cloud-hub/bench/predictions.ts': ['predictions.simulated', 'predictions.cmapss'] },
}
export const FILES = Object.entries(AREAS).flatMap(([area, files]) =>
  Object.entries(files).map(([file, rows]) => ({ area, file, rows })),
)
