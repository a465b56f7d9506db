import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CollectorSource, ProbeDeps, ProbeResult } from '../src/collectors/collector.ts'
import { check } from '../src/commands/check.ts'
import type { Finding } from '../src/commands/findings.ts'
import { writeSourcesFile } from '../src/sources/sources-file.ts'
import { systemClock } from '../src/support/clock.ts'
import { createLogger } from '../src/support/logger.ts'
import { Plant } from './agent-harness.ts'

let plant: Plant
beforeEach(async () => {
  plant = await Plant.open()
})
afterEach(() => plant.end())

const register = (metric_name: string, unit: string, machine_identifier?: string) => ({
  metric_name,
  unit,
  table: 'holding' as const,
  address: 0,
  type: 'int16' as const,
  scale: 1,
  offset: 0,
  ...(machine_identifier && { machine_identifier }),
})
const source = (...registers: ReturnType<typeof register>[]): CollectorSource => ({
  protocol: 'modbus',
  name: 'plc',
  machine: 'press-01',
  host: '127.0.0.1',
  port: 1,
  pollIntervalSeconds: 1,
  config: {
    unit_id: 1,
    timeout_ms: 1_000,
    framing: 'tcp',
    max_gap: 8,
    max_registers: 125,
    max_coils: 2_000,
    registers: registers as never,
  },
})
const GOOD: ProbeResult = {
  ok: true,
  answered: true,
  summary: 'answers',
  lines: [],
  clockAheadMs: null,
  readings: [],
  badTags: [],
}

function findings(collectors: CollectorSource[], probed: Partial<ProbeResult> = {}): Promise<Finding[]> {
  const probe = () => Promise.resolve({ ...GOOD, ...probed })
  return check({ ...plant.config(), collectors }, { clock: systemClock, logger: createLogger('silent'), probe })
}
const named = (all: Finding[], what: string) => all.filter((one) => one.what === what)

describe('check', () => {
  it('says that the hub has the machines of all tags', async () => {
    plant.hub.behaviour.machines = () => 'active'
    const all = await findings([source(register('temperature', 'celsius'), register('speed', 'bar', 'press-02'))])
    expect(named(all, 'machines')).toMatchObject([{ result: 'ok', words: 'the hub has all 2 machines' }])
    expect(all.filter(({ result }) => result !== 'ok')).toEqual([])
  })

  it('fails for a device whose clock was never set, by its clock or by the date of a reading', async () => {
    plant.hub.behaviour.machines = () => 'active'
    const sources = [source(register('temperature', 'celsius'))]
    const [clock, ...more] = named(await findings(sources, { clockAheadMs: 751_000 - Date.now() }), 'clock').filter(
      ({ result }) => result !== 'ok',
    )
    expect(more).toEqual([])
    expect(clock).toMatchObject({
      result: 'FAIL',
      words: expect.stringMatching(/^the clock of plc was never set: it is at 1970-01-01T00:1.:..Z; set it/),
    })
    const reading = { machine: 'press-01', metric: 'temperature', rawTag: '0', value: 4, unit: 'celsius' }
    const readings = [{ ...reading, timestamp: 7_000 }]
    expect(named(await findings(sources, { readings }), 'clock')).toContainEqual(
      expect.objectContaining({
        result: 'FAIL',
        words: expect.stringContaining('temperature has the time 1970-01-01T00:00:07Z'),
      }),
    )
    const dated = [{ ...reading, timestamp: Date.UTC(1999, 11, 31) }]
    expect(named(await findings(sources, { readings: dated }), 'clock').filter(({ result }) => result === 'FAIL')).toEqual([])
  })

  it('reaches sources of the hub only within remote.allow, and none with remote.sources off', async () => {
    const pushed = {
      source_id: '01a21000-0000-7000-8000-000000000001',
      name: 'pushed',
      machine_identifier: 'm',
      host: 'h',
      port: 502,
      poll_interval_seconds: 5,
      protocol: 'modbus',
      config: {},
    }
    writeSourcesFile(plant.dataDir, { revision: 1, sources: [pushed] })
    const probed: [string, boolean][] = []
    const deps = {
      clock: systemClock,
      logger: createLogger('silent'),
      probe: async ({ name }: CollectorSource, { resolveHost }: ProbeDeps) => {
        probed.push([name, resolveHost !== undefined])
        return GOOD
      },
    }
    const remote = { isOn: true, resolveHost: async (host: string) => host, allowDevices: () => {} }
    await check({ ...plant.config(), collectors: [], remote }, deps)
    await check({ ...plant.config(), collectors: [], remote: { ...remote, isOn: false } }, deps)
    expect(probed).toEqual([['pushed [01a21000]', true]])
  })

  it('fails for a machine that the hub does not have, and prints the call that creates it', async () => {
    plant.hub.behaviour.machines = (id) => (id === "it's" ? 'unknown' : 'active')
    const all = await findings([
      source(register('temperature', 'celsius'), register('a', 'bar', "it's"), register('b', 'bar', "it's")),
    ])
    expect(named(all, 'machine')).toEqual([
      {
        what: 'machine',
        result: 'FAIL',
        words:
          "the hub has no machine it's, so it rejects every reading of its 2 tags; correct machine_identifier, or create it as an operator",
        lines: [
          `curl ${plant.hub.url}/api/v1/machines -H "authorization: Bearer $token" -H 'content-type: application/json' -d '{"name":"it'\\''s","machine_identifier":"it'\\''s","protocol":"modbus_tcp"}'`,
        ],
      },
    ])
  })

  it('fails for a deactivated machine, and prints the call that reactivates it', async () => {
    plant.hub.behaviour.machines = () => 'inactive'
    const [finding] = named(await findings([source(register('a', 'bar'))]), 'machine')
    expect(finding).toMatchObject({ result: 'FAIL', words: expect.stringMatching(/press-01 is deactivated in the hub/) })
    expect(finding?.lines).toEqual([expect.stringMatching(/-X PATCH .*\/machines\/id-of-press-01 .*"is_active":true/)])
  })

  it('checks the machines also where the hub offers no MQTT', async () => {
    plant.hub.behaviour.machines = () => 'unknown'
    plant.hub.behaviour.heartbeat = () => ({ status: 200, body: plant.hub.directives() })
    expect(named(await findings([source(register('a', 'bar'))]), 'machine')).toMatchObject([{ result: 'FAIL' }])
  })

  it('asks for many machines in portions, and sums up those that it does not show', async () => {
    plant.hub.behaviour.machines = (id) => (id.startsWith('x') ? 'unknown' : 'active')
    const ids = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => register('a', 'bar', `${prefix}${i}`))
    const found = named(await findings([source(...ids(1_000, 'x'), ...ids(1, 'y'))]), 'machine')
    expect(found).toHaveLength(21)
    expect(found.at(-1)).toMatchObject({ result: 'FAIL', words: '980 more machines that the hub does not store readings of' })
    expect(named(await findings([source(...ids(21, 'x'))]), 'machine').at(-1)?.words).toMatch(/^1 more machine that/)
  })

  it('notes that an older hub cannot say it', async () => {
    plant.hub.behaviour.machines = null
    expect(named(await findings([source(register('a', 'bar'))]), 'machines')).toMatchObject([{ result: 'note' }])
  })

  it('notes unknown units, with what to write, and no usual ones', async () => {
    const usual = ['rpm', 'percent', 'kW', 'bool'].map((unit) => register(unit, unit))
    const all = await findings([source(register('a', '°C'), register('b', 'foo'), register('c', 'PSI'), ...usual)])
    expect(named(all, 'units')).toEqual([
      {
        what: 'units',
        result: 'note',
        words: 'the hub stores these units as they are and cannot convert them; check their spelling',
        lines: ['°C (1 tag): write celsius', 'foo (1 tag)', 'PSI (1 tag): write psi'],
      },
    ])
  })

  it('compares the clocks of the hub, the device and this box', async () => {
    const of = async (ahead: number, device: number) => {
      plant.hub.behaviour.aheadMs = ahead
      return named(await findings([source(register('a', 'bar'))], { clockAheadMs: device }), 'clock').map(({ words }) => words)
    }
    expect(await of(0, 0)).toEqual(['the clock of this box, the clock of the hub and the clock of plc agree'])
    expect(await of(120_000, 120_000)).toEqual([
      expect.stringMatching(/^the clock of this box is 2 min behind the clock of the hub/),
    ])
    expect(await of(0, -7_200_000)).toEqual([expect.stringMatching(/^the clock of plc is 2 h behind the clock of the hub/)])
  })
})
