import { toColumns } from '@haltless/protocol'
import { createAgent } from '../src/agent.ts'
import type { CollectorDeps } from '../src/collectors/collector.ts'
import { systemClock } from '../src/support/clock.ts'
import { createLogger } from '../src/support/logger.ts'
import { Secret } from '../src/support/secret.ts'

/**
 * An agent that a test kills: reads 100 readings after another as fast as they are on disk, and says how many are.
 * Arguments: data directory, hub URL.
 */
const [dataDir, url] = process.argv.slice(2) as [string, string]
let take: CollectorDeps['onReadings'] = () => {}
const agent = createAgent(
  {
    file: '',
    secretFiles: [],
    hub: { url, apiKey: new Secret('hk_fake_key'), allowPlaintext: false },
    agentId: 'press-hall',
    dataDir,
    buffer: { maxBytes: 1e9, maxAgeMs: null },
    uplink: { maxInFlight: 8, backlogReadingsPerSecond: 1_000_000, receiptTimeoutMs: 60_000 },
    updates: { enabled: false, bytesPerSecond: 1_000_000 },
    remote: { isOn: true, resolveHost: undefined, allowDevices: () => {} },
    remoteFile: { sources: 'on' },
    localPage: null,
    logLevel: 'error',
    collectors: [
      {
        protocol: 'modbus',
        name: 'a',
        machine: 'm',
        host: 'h',
        port: 1,
        pollIntervalSeconds: 1,
        config: { unit_id: 1, timeout_ms: 1, framing: 'tcp', max_gap: 0, max_registers: 125, max_coils: 2_000, registers: [] },
      },
    ],
  },
  {
    clock: systemClock,
    logger: createLogger('silent'),
    createCollector: ({ name }, { onReadings }) => {
      take = onReadings
      const status = {
        state: 'running' as const,
        detail: '',
        fault: null,
        lastAnswerAt: null,
        lastReadAt: null,
        readingsTotal: 0,
        badValuesTotal: 0,
        badTags: [],
        missedPolls: { skipped: 0, failed: 0 },
      }
      return { name, start: () => {}, stop: async () => {}, status: () => status }
    },
  },
)
agent.start()
for (let i = 0; ; i += 100) {
  const at = (n: number) => 1_790_000_000_000 + (i + n) * 1_000
  await take(
    toColumns(
      Array.from({ length: 100 }, (_, n) => ({
        machine: 'm',
        metric: 'x',
        unit: 'u',
        rawTag: null,
        timestamp: at(n),
        value: i + n,
      })),
    ),
  )
  process.stdout.write(`${i + 100}\n`)
}
