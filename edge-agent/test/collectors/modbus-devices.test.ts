import { fault, ModbusConfig } from '@haltless/protocol'
import { afterEach, expect, test } from 'vitest'
import {
  type Collector,
  type CollectorDeps,
  createCollector,
  type MissedPollSpan,
  type ModbusSource,
  probe,
  statusText,
} from '../../src/collectors/index.ts'
import { systemClock } from '../../src/support/clock.ts'
import { exceptionAnswer, rightAnswer, type Script, ScriptedModbus } from '../support/scripted-modbus.ts'
import { depsFor, Sink, until } from './support.ts'

const devices: ScriptedModbus[] = []
const collectors: Collector[] = []
afterEach(async () => {
  await Promise.all(collectors.splice(0).map((collector) => collector.stop()))
  await Promise.all(devices.splice(0).map((device) => device.close()))
})

const answer: Script = (asked, _device, socket) => void socket.write(rightAnswer(asked))

async function device(script: Script): Promise<ScriptedModbus> {
  const made = await new ScriptedModbus(script).listen()
  devices.push(made)
  return made
}

/** Waits while a collector of another device polls twenty times: what does not happen meanwhile does not happen. */
async function manyPolls(): Promise<void> {
  const { sink } = start((await device(answer)).port)
  await until('twenty polls', () => sink.readings.length >= 20)
}

interface Options {
  addresses?: number[]
  unit?: number
  timeoutMs?: number
  intervalSeconds?: number
  maxGap?: number
  deps?: Partial<CollectorDeps>
  host?: string
  registers?: object[]
}

const sourceOf = (
  port: number,
  { addresses = [10], unit = 1, timeoutMs = 100, intervalSeconds = 0.02, maxGap, host = '127.0.0.1', registers }: Options,
): ModbusSource => ({
  name: `unit ${unit}`,
  machine: `machine-${unit}`,
  protocol: 'modbus',
  host,
  port,
  pollIntervalSeconds: intervalSeconds,
  config: ModbusConfig.parse({
    unit_id: unit,
    timeout_ms: timeoutMs,
    max_gap: maxGap,
    registers: registers ?? addresses.map((address) => ({ address, metric_name: `m${address}`, unit: 'u' })),
  }),
})

function start(port: number, options: Options = {}): { sink: Sink; collector: Collector } {
  const sink = new Sink()
  const collector = createCollector(sourceOf(port, options), depsFor(sink, options.deps))
  collectors.push(collector)
  collector.start()
  return { sink, collector }
}

/** Registers of a scripted device hold their own address. */
const allTrue = (sink: Sink) => sink.readings.every(({ metric, value }) => metric === `m${value}`)

test('a late answer is never matched to the next request', async () => {
  // Every third answer comes after its timeout, together with the answer to a later request
  let late: Buffer | null = null
  const slow = await device((asked, _device, socket) => {
    const frame = rightAnswer(asked, asked.nth % 3 === 0 ? { bytes: Buffer.from([0xde, 0xad]) } : {})
    if (asked.nth % 3 === 0) late = frame
    else {
      socket.write(late ? Buffer.concat([late, frame]) : frame)
      late = null
    }
  })
  const { sink, collector } = start(slow.port, { timeoutMs: 50, deps: { clock: impatient } })
  await until('readings after late answers', () => sink.readings.length >= 12)
  expect(allTrue(sink)).toBe(true)
  expect(slow.connections).toBe(1)
  expect(collector.status().badValuesTotal).toBe(0)
})

test.each<[string, (asked: Parameters<Script>[0]) => Buffer, string]>([
  [
    'another transaction',
    (asked) => rightAnswer(asked, { id: (asked.id + 1) & 0xffff }),
    'transaction ids that nobody asked with',
  ],
  ['another unit', (asked) => rightAnswer(asked, { unitId: 5 }), 'asked unit 1, but unit 5 answered'],
  ['another function', (asked) => rightAnswer(asked, { functionCode: 4 }), 'asked function 3, but function 4 was answered'],
  ['another length', (asked) => rightAnswer(asked, { bytes: Buffer.alloc(6) }), 'asked for 2 bytes, but 6 were answered'],
  [
    'a byte count that lies',
    (asked) => rightAnswer(asked, { byteCount: 4 }),
    'asked for 2 bytes, but 2 were answered (it says 4)',
  ],
])('an answer with %s is refused and said so', async (_name, wrong, words) => {
  const wrongful = await device((asked, _device, socket) => void socket.write(asked.nth <= 2 ? wrong(asked) : rightAnswer(asked)))
  const { onReadings: _, ...deps } = depsFor(new Sink())
  expect((await probe(sourceOf(wrongful.port, {}), deps)).summary).toContain(words)

  const { sink } = start(wrongful.port, { deps: { clock: impatient } })
  await until('right answers', () => sink.readings.length >= 3)
  expect(allTrue(sink)).toBe(true)
})

test('a value that its register rules out is no reading, and texts become the numbers that values names', async () => {
  const words = Buffer.from('RUNNING\0\xff\xff\x7f\xffAJMMDE\0\0', 'latin1')
  const { port } = await device((asked, _device, socket) => {
    const bytes = words.subarray(asked.address * 2, (asked.address + asked.quantity) * 2)
    socket.write(rightAnswer(asked, { bytes }))
  })
  const register = (address: number, more: object) => ({ address, metric_name: `m${address}`, unit: 'u', ...more })
  const text = { data_type: 'string', length: 4, values: { RUNNING: 1, STOPPED: 0 } }
  const registers = [
    register(0, text),
    register(4, { invalid: [65_535] }),
    register(5, { scale: 0.1, max: 3_000 }),
    register(6, { ...text, byte_order: 'BADC' }),
  ]
  const { sink, collector } = start(port, { registers })
  await until('three polls', () => sink.readings.length >= 3)
  expect(new Set(sink.readings.map(({ metric, value }) => `${metric} ${value}`))).toEqual(new Set(['m0 1']))
  expect(collector.status().badTags.map(({ metric, reason }) => [metric, reason])).toEqual([
    ['m4', 'the device sent 65535, which is listed as invalid'],
    ['m5', 'the value is above max 3000'],
    ['m6', '"JAMMED" is neither in values nor a number'],
  ])
})

test('what is no Modbus frame ends the connection, and a fresh one goes on', async () => {
  const mad = await device((asked, _device, socket) => {
    const frame = rightAnswer(asked, asked.connection === 1 && asked.onConnection === 2 ? { protocol: 0x4854 } : {})
    socket.write(frame)
  })
  const { sink } = start(mad.port)
  await until('readings on the second connection', () => sink.readings.length >= 5)
  expect(mad.connections).toBe(2)
  expect(allTrue(sink)).toBe(true)
})

test('answers in single bytes and answers glued together are put right', async () => {
  const stuttering = await device(async (asked, _device, socket) => {
    for (const byte of rightAnswer(asked)) {
      socket.write(Buffer.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
  const { sink } = start(stuttering.port, { timeoutMs: 1_000, addresses: [1, 2, 3] })
  await until('three polls', () => sink.readings.length >= 9)
  expect(sink.values('m1').every((value) => value === 1) && allTrue(sink)).toBe(true)

  // Two units' answers, and the second one cut in the middle
  const held: Buffer[] = []
  const gluing = await device((asked, _device, socket) => {
    held.push(rightAnswer(asked))
    if (held.length < 2) return
    const glued = Buffer.concat(held.splice(0))
    socket.write(glued.subarray(0, 15))
    setTimeout(() => socket.write(glued.subarray(15)), 5)
  })
  const one = start(gluing.port, { unit: 1, timeoutMs: 2_000 })
  const two = start(gluing.port, { unit: 2, timeoutMs: 2_000 })
  await until('both units', () => one.sink.readings.length >= 2 && two.sink.readings.length >= 2)
  expect(allTrue(one.sink) && allTrue(two.sink)).toBe(true)
  expect(gluing.connections).toBe(1)
})

test('one register that does not exist does not block its neighbours, and the device is spared asking for it', async () => {
  const missing = 14
  const partial = await device((asked, _device, socket) => {
    const refused = asked.address <= missing && missing < asked.address + asked.quantity
    socket.write(refused ? exceptionAnswer(asked, 2) : rightAnswer(asked))
  })
  const { sink, collector } = start(partial.port, { addresses: [10, 11, 12, 13, 14, 15, 16, 17] })
  await until('neighbours', () => sink.of('m17').length >= 4)
  expect(new Set(sink.readings.map(({ metric }) => metric))).toEqual(new Set(['m10', 'm11', 'm12', 'm13', 'm15', 'm16', 'm17']))
  expect(allTrue(sink)).toBe(true)
  const status = collector.status()
  expect(statusText(status)).toBe('running: 1 of 8 tags cannot be read')
  expect(status.badTags).toEqual([
    {
      rawTag: 'holding:14',
      metric: 'm14',
      reason: 'illegal data address: the device has no such register (exception 02)',
      fault: fault('modbus_illegal_data_address', { exception: '02' }),
      missedPolls: expect.any(Number),
    },
  ])
  // The first poll found out: 8 refused, 4 read, 4 refused, 2 refused, ... from then on only what can be read is asked for
  const refusedRequests = partial.asked.filter(({ address, quantity }) => address <= missing && missing < address + quantity)
  expect(refusedRequests.length).toBeLessThanOrEqual(5)
})

test('a gap that the device refuses is learned, and no longer read along', async () => {
  const gappy = await device((asked, _device, socket) => {
    socket.write(asked.address < 13 && asked.address + asked.quantity > 12 ? exceptionAnswer(asked, 2) : rightAnswer(asked))
  })
  const { sink, collector } = start(gappy.port, { addresses: [10, 11, 14, 15] })
  await until('both sides', () => sink.of('m15').length >= 3)
  expect(allTrue(sink)).toBe(true)
  expect(collector.status().badTags).toEqual([])
  expect(gappy.asked.filter(({ address, quantity }) => address + quantity > 12 && address < 13)).toHaveLength(1)
})

test('a device that refuses everything is failing, and heard again when it changes its mind', async () => {
  const grumpy = await device((asked, _device, socket) => void socket.write(exceptionAnswer(asked, 2)))
  const { sink, collector } = start(grumpy.port, { addresses: [10, 11], deps: { clock: impatient } })
  await until('failing', () => collector.status().state === 'failing')
  expect(statusText(collector.status())).toContain('no tag can be read: illegal data address')
  grumpy.script = answer
  await until('readings', () => sink.readings.length >= 4)
  expect(collector.status()).toMatchObject({ state: 'running', badTags: [] })
})

test('registers that a device refused are requested again after it reconnects', async () => {
  const reprogrammed = await device((asked, _device, socket) => {
    socket.write(asked.address + asked.quantity > 12 ? exceptionAnswer(asked, 2) : rightAnswer(asked))
  })
  const { sink, collector } = start(reprogrammed.port, { addresses: [10, 11, 12] })
  await until('one register refused', () => sink.readings.length >= 2 && collector.status().badTags.length === 1)
  await reprogrammed.close()
  await until('away', () => collector.status().state === 'reconnecting')
  reprogrammed.script = answer
  await reprogrammed.listen()
  await until('all registers', () => sink.of('m12').length >= 2)
  expect(collector.status().badTags).toEqual([])
  expect(reprogrammed.asked.at(-1)).toMatchObject({ address: 10, quantity: 3 })
})

test('a device that is not there is retried until it is, and again after a restart', async () => {
  const shy = await device(answer)
  await shy.close()
  const { sink, collector } = start(shy.port, { deps: { clock: impatient } })
  await until('reconnecting', () => collector.status().state === 'reconnecting')
  expect(statusText(collector.status())).toBe('reconnecting: connection refused')
  await shy.listen()
  await until('readings', () => sink.readings.length >= 3)
  expect(statusText(collector.status())).toBe('running')

  await shy.close()
  await until('loss seen', () => collector.status().state === 'reconnecting')
  const before = sink.readings.length
  await shy.listen()
  await until('readings after the restart', () => sink.readings.length >= before + 3)
  expect(allTrue(sink)).toBe(true)
})

test('a connection that the device closes between polls costs no reading', async () => {
  const warnings: string[] = []
  const logger = { ...depsFor(new Sink()).logger, warn: (_fields: object, message: string) => void warnings.push(message) }
  // Closed before the next request, and closed by it: the client learns of the second only by asking
  const early = await device((asked, _device, socket) => {
    socket.write(rightAnswer(asked), () => setTimeout(() => socket.end(), 1))
  })
  const late = await device((asked, _device, socket) => {
    if (asked.onConnection === 1) socket.write(rightAnswer(asked))
    else socket.destroy()
  })
  for (const { port } of [early, late]) {
    const { sink } = start(port, { deps: { logger } })
    await until('polls', () => sink.readings.length >= 10)
    expect(allTrue(sink)).toBe(true)
  }
  expect(warnings).toEqual([])
  expect(early.connections).toBeGreaterThanOrEqual(5)
  expect(late.connections).toBeGreaterThanOrEqual(10)
})

test('a device that closes connections at once sees a bounded rate of attempts, however many units it has', async () => {
  const attempts: number[] = []
  const rude = await device((asked, _device, socket) => {
    // on a machine that stands still, a second request may be on its way already
    if (asked.onConnection === 1) attempts.push(performance.now())
    socket.destroy()
  })
  const units = [1, 2, 3, 4, 5].map((unit) => start(rude.port, { unit, intervalSeconds: 0.001 }))
  await until('reconnecting', () => units.every(({ collector }) => collector.status().state === 'reconnecting'))
  await until('three attempts', () => attempts.length >= 3)
  // jitter shortens the waits of 250 ms and 500 ms by up to a half; five units that wait apart would leave shorter gaps
  const [first = 0, second = 0, third = 0] = attempts
  expect(second - first).toBeGreaterThanOrEqual(120)
  expect(third - second).toBeGreaterThanOrEqual(240)
  // one may have been made a moment ago
  expect(rude.connections - attempts.length).toBeLessThanOrEqual(1)
  expect(statusText((units[0] as { collector: Collector }).collector.status())).toBe(
    'reconnecting: connection closed by the device',
  )
})

test('a connection that stays silent is reopened', async () => {
  const undead = await device((asked, _device, socket) => {
    if (asked.connection > 1 || asked.onConnection <= 2) socket.write(rightAnswer(asked))
  })
  const { sink } = start(undead.port, { timeoutMs: 50, deps: { clock: impatient } })
  await until('readings on the second connection', () => undead.connections === 2 && sink.readings.length >= 5)
})

test('a dead unit behind a gateway does not take the others their interval, and is heard when it comes back', async () => {
  let dead = true
  const gateway = await device((asked, _device, socket) => {
    if (asked.unitId !== 2 || !dead) socket.write(rightAnswer(asked))
  })
  const silent = start(gateway.port, { unit: 2, timeoutMs: 1_000 })
  await until('the dead unit is asked', () => gateway.asked.length >= 1)
  const alive = [1, 3, 4].map((unit) => start(gateway.port, { unit, intervalSeconds: 0.05, timeoutMs: 1_000 }))
  await until('half a second of polls', () => alive.every(({ sink }) => sink.readings.length >= 10))
  // The first request to the dead unit is still waiting for its answer
  expect(silent.collector.status().state).toBe('starting')
  expect(gateway.asked.filter(({ unitId }) => unitId === 2)).toHaveLength(1)
  await until('the dead unit is told', () => silent.collector.status().state === 'reconnecting')
  expect(statusText(silent.collector.status())).toBe('reconnecting: unit 2 does not answer within 1000 ms')
  await until('its polls count as failed', () => silent.collector.status().missedPolls.failed > 0)
  expect(silent.collector.status().missedPolls.skipped).toBe(0)
  expect(gateway.connections).toBe(1)

  dead = false
  await until('the unit is back', () => silent.sink.readings.length >= 2)
  for (const { sink } of [silent, ...alive]) {
    expect(allTrue(sink)).toBe(true)
    expect(new Set(sink.readings.map(({ machine }) => machine)).size).toBe(1)
  }
})

test('a unit that its gateway cannot reach is reconnecting, the others run', async () => {
  const gateway = await device((asked, _device, socket) => {
    socket.write(asked.unitId === 2 ? exceptionAnswer(asked, 11) : rightAnswer(asked))
  })
  const lost = start(gateway.port, { unit: 2 })
  const fine = start(gateway.port, { unit: 1 })
  await until('both told', () => lost.collector.status().state === 'reconnecting' && fine.sink.readings.length >= 5)
  expect(statusText(lost.collector.status())).toContain('the gateway gets no answer from the device behind it (exception 11)')
})

test('on a serial line the silent unit is named, and not the units that wait behind it; it is requested less and less often', async () => {
  // The gateway waits longer for the silent unit than the agent does, and serves nothing else meanwhile.
  let line = Promise.resolve()
  const gateway = await device((asked, _device, socket) => {
    line = line.then(async () => {
      if (asked.unitId === 2) await systemClock.sleep(600)
      else socket.write(rightAnswer(asked))
    })
  })
  const silent = start(gateway.port, { unit: 2, timeoutMs: 400 })
  const others = [1, 3].map((unit) => start(gateway.port, { unit, timeoutMs: 400, intervalSeconds: 0.1 }))
  await until('the silent unit has failed three times', () => gateway.asked.filter(({ unitId }) => unitId === 2).length >= 3)
  await until('the others go on', () => others.every(({ sink }) => sink.readings.length >= 20))
  expect(statusText(silent.collector.status())).toBe('reconnecting: unit 2 does not answer within 400 ms')
  for (const { collector } of others) {
    expect(collector.status().state).toBe('running')
    expect(collector.status().missedPolls.failed).toBe(0)
  }
  const [before, polls] = [gateway.asked.length, others[0]?.sink.readings.length ?? 0]
  await until('two seconds of polls', () => (others[0]?.sink.readings.length ?? 0) >= polls + 20)
  expect(gateway.asked.slice(before).filter(({ unitId }) => unitId === 2).length).toBeLessThanOrEqual(1)
})

test('a dead device does not delay another device', async () => {
  const dead = await device(() => {})
  const fine = await device(answer)
  start(dead.port, { timeoutMs: 5_000 })
  const { sink } = start(fine.port)
  await until('readings', () => sink.readings.length >= 10)
})

test('a slow device skips instants and never queues them', async () => {
  const slow = await device((asked, _device, socket) => void setTimeout(() => socket.write(rightAnswer(asked)), 120))
  const missed: MissedPollSpan[] = []
  const deps = { onMissedPolls: (spans: MissedPollSpan[]) => void missed.push(...spans.filter(({ isOver }) => isOver)) }
  const { sink, collector } = start(slow.port, { timeoutMs: 1_000, intervalSeconds: 0.05, deps })
  await until('four polls', () => sink.readings.length >= 4)
  const gaps = sink.readings.slice(1).map((reading, i) => reading.timestamp - (sink.readings[i]?.timestamp ?? 0))
  // 120 ms of answer end in the third interval of 50: the next instant of the grid is 150 after the last
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(140)
  expect(slow.asked.length).toBeLessThanOrEqual(sink.readings.length + 1)
  const { skipped, failed } = collector.status().missedPolls
  expect(skipped).toBeGreaterThanOrEqual(sink.readings.length)
  expect(failed).toBe(0)
  await collector.stop()
  expect(missed).toMatchObject([{ machine: 'machine-1', metric: null, reason: 'skipped' }])
  expect(missed[0]?.count).toBeGreaterThanOrEqual(skipped)
})

test('a slow consumer slows polling down', async () => {
  const quick = await device(answer)
  const takers: (() => void)[] = []
  const onReadings = () => new Promise<void>((resolve) => void takers.push(resolve))
  const { collector } = start(quick.port, { deps: { onReadings } })
  await until('a few polls', () => takers.length === 8)
  await manyPolls()
  expect(quick.asked).toHaveLength(8)
  takers[0]?.()
  await until('the next poll', () => takers.length === 9)
  expect(collector.status().readingsTotal).toBe(1)
  const stopping = collector.stop()
  for (const take of takers) take()
  await stopping
})

test('a failing consumer is reported, and polling continues', async () => {
  const quick = await device(answer)
  let failures = 0
  const onReadings = () => {
    if (++failures === 1) throw new Error('disk full')
  }
  const { collector } = start(quick.port, { deps: { onReadings }, intervalSeconds: 0.1 })
  await until('the failure', () => collector.status().state === 'failing')
  expect(statusText(collector.status())).toBe('failing: readings could not be stored: disk full')
  await until('recovery', () => collector.status().state === 'running')
})

test('stopping is prompt and final, while connecting, while waiting for an answer and while idle', async () => {
  const dead = await device(() => {})
  const waiting = start(dead.port, { timeoutMs: 60_000 })
  await until('asked', () => dead.asked.length === 1)
  const fine = await device(answer)
  const idle = start(fine.port, { intervalSeconds: 3_600 })
  await until('read', () => idle.sink.readings.length === 1)
  const resolving = start(1, { deps: { resolveHost: () => new Promise(() => {}) } })
  const began = performance.now()
  await Promise.all([waiting, idle, resolving].map(({ collector }) => collector.stop()))
  expect(performance.now() - began).toBeLessThan(10_000)
  expect(idle.collector.status().state).toBe('stopped')
  await until('connections closed', () => dead.open === 0 && fine.open === 0)
  idle.collector.start()
  await manyPolls()
  expect(fine.asked).toHaveLength(1)
})

test('one of two units stops, the other keeps their connection', async () => {
  const gateway = await device(answer)
  const one = start(gateway.port, { unit: 1 })
  const two = start(gateway.port, { unit: 2 })
  await until('both', () => one.sink.readings.length >= 2 && two.sink.readings.length >= 2)
  await one.collector.stop()
  const [stoppedAt, goesOn] = [one.sink.readings.length, two.sink.readings.length]
  await until('the other goes on', () => two.sink.readings.length >= goesOn + 3)
  expect(one.sink.readings.length).toBe(stoppedAt)
  expect(gateway.connections).toBe(1)
})

test('only the address that the guard answers is dialled, and its refusal is told', async () => {
  const fine = await device(answer)
  const asked: string[] = []
  const resolveHost = async (host: string) => {
    asked.push(host)
    return '127.0.0.1'
  }
  const { sink } = start(fine.port, { host: 'plc.invalid', deps: { resolveHost } })
  await until('readings', () => sink.readings.length >= 1)
  expect(asked).toEqual(['plc.invalid'])

  const refusing = async () => {
    throw new Error('10.0.0.1 is a private address')
  }
  const { collector } = start(fine.port, { host: 'inside.invalid', deps: { resolveHost: refusing } })
  await until('refused', () => statusText(collector.status()) === 'reconnecting: 10.0.0.1 is a private address')
})

/** The real clock, whose long waits (backoff) pass a hundred times faster. */
const impatient: typeof systemClock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() * 100,
  sleep: (ms, signal) => systemClock.sleep(ms / 100, signal),
}
