import path from 'node:path'
import type { ReadingColumns } from '@haltless/protocol'
import { connect, connectAsync, type MqttClient } from 'mqtt'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Collector, createCollector, type MqttSource, probe, type SparkplugSource } from '../../src/collectors/index.ts'
import type { MissedPollSpan } from '../../src/collectors/missed-polls.ts'
import { MqttConfig, mqttContract } from '../../src/collectors/mqtt/contract.ts'
import { SparkplugConfig } from '../../src/collectors/sparkplug/contract.ts'
import { AgentFile } from '../../src/settings/schema.ts'
import { systemClock } from '../../src/support/clock.ts'
import { type LocalBroker, startLocalBroker } from '../support/local-broker.ts'
import { metric, SparkplugPublisher } from '../support/sparkplug-publisher.ts'
import { depsFor, Sink, until } from './support.ts'

let broker: LocalBroker
let publisher: MqttClient
let collector: Collector | undefined
let nodes: SparkplugPublisher[]
let sink: Sink
let missed: MissedPollSpan[]

beforeAll(async () => {
  broker = await startLocalBroker()
})
afterAll(() => broker.remove())
beforeEach(async () => {
  sink = new Sink()
  missed = []
  nodes = []
  publisher = await connectAsync({ host: '127.0.0.1', port: broker.port })
})
afterEach(async () => {
  await collector?.stop()
  collector = undefined
  for (const node of nodes) node.stop()
  await publisher.endAsync(true)
})

const base = () => ({ name: 'broker', machine: 'press-01', host: '127.0.0.1', port: broker.port, pollIntervalSeconds: 0.05 })
const mqtt = (topics: object[], more: object = {}): MqttSource => ({
  ...base(),
  protocol: 'mqtt',
  config: MqttConfig.parse({ topics, ...more }),
})
function start(source: MqttSource | SparkplugSource): Collector {
  collector = createCollector(
    source,
    depsFor(sink, { onMissedPolls: (spans) => void missed.push(...spans.filter(({ isOver }) => isOver)) }),
  )
  collector.start()
  return collector
}
const { onReadings: _, ...probeDeps } = depsFor(new Sink())
const untilRunning = (what = 'the collector runs') => until(what, () => collector?.status().state === 'running')
const publish = (topic: string, payload: string, retain = false) => publisher.publishAsync(topic, payload, { qos: 1, retain })
const topicOf = (topic: string, more: object = {}) => ({ topic, metric_name: topic, unit: 'u', ...more })

describe('messages of a broker (Mosquitto)', () => {
  it('become one reading each: numbers, texts of numbers, and fields of JSON', async () => {
    start(
      mqtt([
        topicOf('a', { scale: 0.1, offset: 1 }),
        topicOf('b', { field: 'data.t', machine_identifier: 'oven' }),
        topicOf('b', { field: 'on', metric_name: 'on' }),
      ]),
    )
    await untilRunning()
    expect(collector?.status().detail).toBe('3 of 3 topics have had no message yet')
    for (const payload of ['5', ' -2.5e1 ', '"7"', 'true']) await publish('a', payload)
    await publish('b', '{"data": {"t": "72.5"}, "on": false}')
    await publish('others/c', '1')
    await until('all are read', () => sink.readings.length >= 6)
    expect(sink.values('a')).toEqual([1.5, -1.5, 1.7, 1.1])
    expect(sink.of('b')).toMatchObject([{ machine: 'oven', value: 72.5, rawTag: 'b data.t' }])
    expect(sink.values('on')).toEqual([0])
    expect(new Set(sink.of('a').map(({ timestamp }) => timestamp)).size).toBe(4)
    await until('nothing is unusual', () => collector?.status().detail === '')
  })

  it('of texts become the numbers that values names, and those that the topic rules out are bad', async () => {
    const values = { RUNNING: 1, STOPPED: 0 }
    start(mqtt([topicOf('a', { values }), topicOf('b', { field: 's', values }), topicOf('c', { invalid: [-9_999], max: 100 })]))
    await untilRunning()
    for (const [a, b] of [
      ['RUNNING', 'STOPPED'],
      ['"STOPPED"', 'RUNNING'],
      ['JAMMED', 'JAMMED'],
    ]) {
      await publish('a', a as string)
      await publish('b', JSON.stringify({ s: b }))
    }
    for (const payload of ['-9999', '100', '101']) await publish('c', payload)
    await until('all are read', () => collector?.status().badValuesTotal === 4)
    expect(['a', 'b', 'c'].map((name) => sink.values(name))).toEqual([[1, 0], [0, 1], [100]])
    expect(collector?.status().badTags.map(({ reason }) => reason)).toEqual([
      '"JAMMED" is neither in values nor a number',
      '"JAMMED" is neither in values nor a number',
      'the value is above max 100',
    ])
  })

  it('without a value leave the reason in the status until a good one comes', async () => {
    start(mqtt([topicOf('a'), topicOf('b', { field: 't' })]))
    await untilRunning()
    const reasons = () => Object.fromEntries(collector?.status().badTags.map(({ metric, reason }) => [metric, reason]) ?? [])
    for (const [a, b, expected] of [
      ['{"t": 1}', 'x', { a: 'the message is JSON: name the field that holds the value', b: 'the message is no JSON' }],
      ['', '{"u": 1}', { a: 'the message is empty', b: 'the message has no value of t' }],
      ['open', '{"t": [1]}', { a: '"open" is no number', b: 'it holds a list, not a number' }],
    ] as const) {
      await publish('a', a)
      await publish('b', b)
      await until('both reasons are in the status', () => JSON.stringify(reasons()) === JSON.stringify(expected))
    }
    await publish('a', '1')
    await until('one is good', () => sink.values('a').length === 1)
    expect(reasons()).toEqual({ b: 'it holds a list, not a number' })
    expect(sink.readings).toHaveLength(1)
  })

  it('are dated by their message where it says when it was measured, else by their arrival, and never by what the broker kept', async () => {
    const at = Date.now() - 60_000
    await publish('kept', '1', true)
    await publish('dated', JSON.stringify({ at, t: 1 }), true)
    start(mqtt([topicOf('dated', { field: 't' })], { timestamp: { field: 'at', format: 'unix_ms' } }))
    await until('what was kept has its time', () => sink.readings.length === 1)
    expect(sink.of('dated')[0]?.timestamp).toBe(at)
    await publish('dated', '{"t": 2}')
    await until('the status names the missing timestamp', () => (collector?.status().badTags.length ?? 0) === 1)
    expect(collector?.status().badTags[0]?.reason).toContain('no timestamp of the format unix_ms in at')
    await collector?.stop()
    start(mqtt([topicOf('kept')]))
    await untilRunning()
    const from = Date.now()
    await publish('kept', '2')
    await until('a live message is read', () => sink.values('kept').length > 0)
    expect(sink.values('kept')).toEqual([2])
    expect(sink.of('kept')[0]?.timestamp).toBeGreaterThanOrEqual(from)
    for (const topic of ['kept', 'dated']) await publish(topic, '', true)
  })

  it('are received again after the broker was away, and its absence is a gap', async () => {
    start(mqtt([topicOf('a')]))
    await untilRunning()
    await broker.end('SIGKILL')
    await until('the status shows the loss', () => collector?.status().state === 'reconnecting')
    await broker.start()
    await untilRunning('it runs again')
    await publish('a', '1')
    await until('a message is read', () => sink.values('a').length === 1)
    expect(collector?.status().missedPolls.failed).toBeGreaterThan(0)
    await collector?.stop()
    expect(missed).toContainEqual(expect.objectContaining({ reason: 'no_answer', metric: null, machine: 'press-01' }))
  })

  describe('with a persistent session', () => {
    const timestamp = { field: 'at', format: 'unix_ms' }
    const dated = (topic: string, client_id: string, more: object = {}) =>
      mqtt([topicOf(topic, { field: 't' })], { timestamp, client_id, ...more })
    const at = (n: number) => 1_790_000_000_000 + n
    const send = (topic: string, n: number) => publish(topic, JSON.stringify({ at: at(n), t: n }))

    it('bring the messages of the time without the agent, each with its own time, also before a hub says how wrong the clock is', async () => {
      start(dated('away', 'away'))
      await untilRunning()
      await send('away', 1)
      await until('one is read', () => sink.readings.length === 1)
      await collector?.stop()
      for (const n of [2, 3]) await send('away', n)
      // Half a minute has passed, in which no hub answered.
      let skipped = 0
      const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + skipped, offsetMs: null }
      const progress: unknown[] = []
      const onReadings = (readings: ReadingColumns, of?: unknown) => {
        progress.push(of)
        sink.take(readings)
      }
      collector = createCollector(dated('away', 'away'), { ...depsFor(sink), clock, onReadings })
      collector.start()
      skipped = 30_001
      await until('all are read', () => sink.readings.length === 3)
      expect(sink.of('away').map(({ value, timestamp }) => timestamp - at(value))).toEqual([0, 0, 0])
      expect(progress[0]).toEqual({ checkpoints: [], hasOwnTime: true, missed: [] })
    })

    it('bring a message again that could not be stored, and none that was', async () => {
      let accepts = true
      const onReadings = (readings: ReadingColumns) => {
        if (accepts) sink.take(readings)
        return accepts
      }
      collector = createCollector(dated('again', 'again'), { ...depsFor(sink), onReadings })
      collector.start()
      await untilRunning()
      await send('again', 1)
      await until('one is stored', () => sink.readings.length === 1)
      accepts = false
      for (const n of [2, 3]) await send('again', n)
      await until('the status names the disk', () => collector?.status().detail.includes('the disk accepts no write') === true)
      accepts = true
      await until('all are stored', () => new Set(sink.values('again')).size === 3)
      await untilRunning()
      await collector?.stop()
      const count = sink.readings.length
      collector = createCollector(dated('again', 'again'), depsFor(sink))
      collector.start()
      await untilRunning()
      await send('again', 4)
      await until('the next one is read', () => sink.values('again').includes(4))
      expect(sink.values('again').slice(count)).toEqual([4])
    })

    it('acknowledge many messages while others are being stored', async () => {
      const onReadings = async (readings: ReadingColumns) => {
        await systemClock.sleep(5)
        sink.take(readings)
      }
      collector = createCollector(dated('many', 'many'), { ...depsFor(sink), onReadings })
      collector.start()
      await untilRunning()
      for (let n = 0; n < 300; n++) void send('many', n)
      await until('all are read', () => sink.readings.length === 300)
      expect(sink.values('many')).toEqual(Array.from({ length: 300 }, (_, n) => n))
    })

    it('are discarded where one is too large and comes again and again, which is a gap', async () => {
      start(dated('large', 'large'))
      await untilRunning()
      await publish('large', '9'.repeat(5 * 1_048_576))
      await until(
        'the session was discarded',
        () => (collector?.status().missedPolls.failed ?? 0) > 0 && latest('large') === undefined,
      )
      await untilRunning('it runs again')
      await until('the next message is read', () => {
        void send('large', 1)
        return latest('large') === 1
      })
    })

    it('give up the topics that the settings do not name any more', async () => {
      start(dated('former', 'former'))
      await untilRunning()
      await collector?.stop()
      await send('former', 1)
      start(dated('present', 'former'))
      await untilRunning()
      await send('present', 2)
      await until('the present one is read', () => sink.readings.length === 1)
      await collector?.stop()
      await send('former', 3)
      await send('present', 4)
      const topics: string[] = []
      const other = connect({ host: '127.0.0.1', port: broker.port, clientId: 'former', clean: false })
      other.on('message', (topic) => void topics.push(topic))
      await until('what waits is delivered', () => topics.includes('present'))
      expect(topics).toEqual(['present'])
      await other.endAsync(true)
    })

    it('keep nothing for an agent whose settings decline it', async () => {
      start(dated('declined', 'declined', { persistent_session: false }))
      await untilRunning()
      await collector?.stop()
      await send('declined', 1)
      start(dated('declined', 'declined', { persistent_session: false }))
      await untilRunning()
      await send('declined', 2)
      await until('one is read', () => sink.readings.length > 0)
      expect(sink.values('declined')).toEqual([2])
    })
  })

  it('of five megabytes end the connection, and the status names the reason', async () => {
    start(mqtt([topicOf('a')]))
    await untilRunning()
    await publish('a', '9'.repeat(5 * 1_048_576))
    await until('the status names it', () => collector?.status().detail === 'a message is larger than 4 MiB')
    await untilRunning('it runs again')
  })

  it('are shown by check, also old ones', async () => {
    await publish('a', '5', true)
    const found = await probe(mqtt([topicOf('a'), topicOf('b')]), probeDeps)
    expect(found).toMatchObject({ ok: true, answered: true })
    expect(found.summary).toBe(`MQTT broker at 127.0.0.1:${broker.port} answers, but 1 of 2 topics have had no message yet`)
    expect(found.lines).toEqual(['a a: 5 u', 'b b: no value'])
    await publish('a', '', true)
    const none = await probe({ ...mqtt([topicOf('a')]), port: 1 }, probeDeps)
    expect(none).toMatchObject({ ok: false, answered: false, summary: 'MQTT broker at 127.0.0.1:1: connection refused' })
  })

  it('come over TLS where the authority of the broker is trusted', async () => {
    const tls = path.join(import.meta.dirname, '../tls')
    const [certificate, key] = [path.join(tls, 'certificate.pem'), path.join(tls, 'key.pem')]
    const other = await startLocalBroker([`certfile ${certificate}`, `keyfile ${key}`])
    const over = (more: object) => ({ ...mqtt([topicOf('a')], { tls: true, ...more }), host: 'localhost', port: other.port })
    expect(await probe(over({ ca_file: certificate }), probeDeps)).toMatchObject({ ok: true, answered: true })
    expect((await probe(over({}), probeDeps)).summary).toMatch(/self-signed and not trusted; .*name its authority in ca_file$/)
    expect((await probe({ ...over({}), config: MqttConfig.parse({}) }, probeDeps)).answered).toBe(false)
    expect((await probe(over({ ca_file: '/none.pem' }), probeDeps)).summary).toMatch(
      /ca_file \/none\.pem: there is no such file or folder$/,
    )
    await other.remove()
  })

  it('need the password that the broker requires', async () => {
    const other = await startLocalBroker(['allow_anonymous false'])
    const found = await probe({ ...mqtt([topicOf('a')], { username: 'agent', password: 'wrong' }), port: other.port }, probeDeps)
    expect(found.summary).toContain('the broker refuses the user name and password')
    await other.remove()
  })
})

const GROUP = 'Plant 1'
const sparkplug = (metrics: object[], more: object = {}): SparkplugSource => ({
  ...base(),
  protocol: 'sparkplug',
  config: SparkplugConfig.parse({ group: GROUP, metrics, ...more }),
})
const tag = (node: string, name: string, device?: string) => ({
  node,
  ...(device && { device }),
  metric: name,
  metric_name: name,
  unit: 'u',
})
async function edgeNode(name: string, births: ConstructorParameters<typeof SparkplugPublisher>[3]): Promise<SparkplugPublisher> {
  const node = new SparkplugPublisher(broker.port, GROUP, name, births)
  nodes.push(node)
  await node.connected()
  return node
}
const reasonOf = (name: string) => collector?.status().badTags.find((bad) => bad.metric === name)?.reason
const latest = (name: string) => sink.values(name).at(-1)
const untilLatest = (name: string, value: number) => until(`${name} is ${value}`, () => latest(name) === value)

describe('a Sparkplug node (the library of Eclipse Tahu, on Mosquitto)', () => {
  it('that published its birth before the agent connected repeats it on request, and its values hold until others come', async () => {
    const node = await edgeNode('n1', { '': [metric('speed', 5)], press: [metric('Oil/temp', 40), metric('on', true)] })
    start(sparkplug([tag('n1', 'speed'), tag('n1', 'Oil/temp', 'press'), tag('n1', 'on', 'press')]))
    await untilLatest('Oil/temp', 40)
    expect(node.rebirths).toBe(1)
    await untilRunning()
    node.data('press', [metric('Oil/temp', 41, { timestamp: Date.now() })])
    await untilLatest('Oil/temp', 41)
    await until('values are repeated', () => sink.values('Oil/temp').filter((value) => value === 41).length > 3)
    expect(latest('on')).toBe(1)
    expect(latest('speed')).toBe(5)
    expect(sink.of('speed')[0]?.rawTag).toBe('n1 speed')
    expect(collector?.status()).toMatchObject({ state: 'running', badTags: [] })
  })

  it('may name its metrics by alias, also another one after its next birth', async () => {
    const born = (alias: number) => ({ press: [metric('a', 1, { alias }), metric('b', 2, { alias: 3 - alias })] })
    const node = await edgeNode('n2', { '': [], ...born(1) })
    start(sparkplug([tag('n2', 'a', 'press'), tag('n2', 'b', 'press')]))
    await untilLatest('a', 1)
    node.data('press', [metric('', 11, { alias: 1 })])
    await untilLatest('a', 11)
    node.births.set('press', born(2).press)
    node.birth()
    await untilLatest('a', 1)
    node.data('press', [metric('', 22, { alias: 1 })])
    await untilLatest('b', 22)
    expect(sink.values('a')).not.toContain(22)
  })

  it('whose devices use the same aliases keeps their values apart, and an alias of two metrics names none', async () => {
    const node = await edgeNode('n11', {
      '': [],
      press: [metric('t', 1, { alias: 1 })],
      oven: [metric('t', 2, { alias: 1 }), metric('x', 3, { alias: 2 }), metric('y', 4, { alias: 2 })],
    })
    start(sparkplug([tag('n11', 't', 'press'), { ...tag('n11', 'o', 'oven'), metric: 't' }, tag('n11', 'x', 'oven')]))
    await untilLatest('x', 3)
    node.data('oven', [metric('', 22, { alias: 1 })])
    await untilLatest('o', 22)
    expect(latest('t')).toBe(1)
    node.data('oven', [metric('', 33, { alias: 2 })])
    await until('the alias is refused', () => reasonOf('x')?.startsWith('its birth gave the alias 2 to several metrics') === true)
    node.data('oven', [metric('x', 5, { alias: 2 })])
    await untilLatest('x', 5)
    expect(sink.values('x')).not.toContain(33)
  })

  it('that dies leaves its tags without a value, until it is born again', async () => {
    const node = await edgeNode('n3', { '': [], press: [metric('t', 1)], oven: [metric('t', 2)] })
    start(sparkplug([tag('n3', 't', 'press'), { ...tag('n3', 'o', 'oven'), metric: 't' }]))
    await untilLatest('o', 2)
    node.deviceDeath('oven')
    await until('the status shows the death of the device', () => reasonOf('o') === 'the device oven is offline')
    expect(reasonOf('t')).toBeUndefined()
    node.die()
    await until('the status shows the death of the node', () => reasonOf('t') === 'the node n3 is offline')
    await until('it needs a person', () => collector?.status().state === 'failing')
    const before = sink.readings.length
    await until('polls are missed', () => (collector?.status().badTags[0]?.missedPolls ?? 0) > 3)
    expect(sink.readings).toHaveLength(before)
    await edgeNode('n3', { '': [], press: [metric('t', 3)], oven: [metric('t', 4)] })
    await untilLatest('o', 4)
    await untilLatest('t', 3)
    await until('all is well', () => collector?.status().badTags.length === 0)
    await collector?.stop()
    expect(missed.filter(({ metric, reason }) => metric === 't' && reason === 'no_value')).toHaveLength(1)
  })

  it('whose messages are lost repeats its birth on request; a gap counts each lost message', async () => {
    const node = await edgeNode('n4', { '': [], press: [metric('t', 1, { alias: 5 })] })
    start(sparkplug([tag('n4', 't', 'press')]))
    await untilLatest('t', 1)
    await untilRunning()
    const failed = () => collector?.status().missedPolls.failed ?? 0
    const before = failed()
    node.lose(3)
    node.births.set('press', [metric('t', 7, { alias: 5 })])
    node.data('press', [metric('', 6, { alias: 5 })])
    await untilLatest('t', 7)
    expect(node.rebirths).toBe(2)
    // what came without a name after the gap may have been another metric
    expect(sink.values('t')).not.toContain(6)
    expect(failed() - before).toBe(4)
    node.lose(251)
    node.data('press', [metric('t', 8)])
    await untilLatest('t', 8)
    await collector?.stop()
    const lost = missed.filter(({ reason }) => reason === 'no_answer')
    expect(lost).toMatchObject([{ machine: 'press-01', metric: null, unit: '' }])
    expect(lost[0]?.count).toBeGreaterThanOrEqual(4 + 251)
  })

  it('gets no request where the settings forbid it', async () => {
    const node = await edgeNode('n5', { '': [metric('t', 1)] })
    start(sparkplug([tag('n5', 't')], { request_rebirths: false }))
    await until('it is waited for', () => reasonOf('t') === 'the node n5 has published no birth yet')
    await until('it is subscribed', () => collector?.status().lastAnswerAt !== null)
    node.data('', [metric('t', 2)])
    node.birth()
    await untilLatest('t', 1)
    expect([node.rebirths, sink.values('t').includes(2)]).toEqual([0, false])
  })

  it('reports what is no value, and what it recorded while it was cut off', async () => {
    const node = await edgeNode('n6', { '': [metric('t', 1), metric('s', 'text')] })
    start(sparkplug([tag('n6', 't'), tag('n6', 's'), tag('n6', 'missing')]))
    await untilLatest('t', 1)
    expect(reasonOf('s')).toBe('the metric holds a text, not a number')
    expect(reasonOf('missing')).toBe('its birth has no metric missing; it has t, s')
    node.data('', [metric('t', 5, { timestamp: 1_790_000_000_000, isHistorical: true })])
    await until('it is read', () => sink.values('t').includes(5))
    expect(sink.of('t').find(({ value }) => value === 5)?.timestamp).toBe(1_790_000_000_000)
    node.data('', [metric('t', 6, { properties: { Quality: { type: 'Int32', value: 0 } } })])
    await until('the status names the quality', () => reasonOf('t') === 'the node reports the quality 0 (192 is good)')
    node.data('', [{ ...metric('t', null), isNull: true }])
    await until('the status names null', () => reasonOf('t') === 'the node reports that it has no value')
    node.compressed([metric('t', 8)])
    await untilLatest('t', 8)
    await publish(`spBv1.0/${GROUP}/NDATA/n6`, 'this is no payload')
    node.data('', [metric('t', 9)])
    await untilLatest('t', 9)
  })

  it('has texts that become the numbers that values names, and no reading of what a metric rules out', async () => {
    const node = await edgeNode('n12', { '': [metric('state', 'RUNNING'), metric('t', 40)] })
    const state = { ...tag('n12', 'state'), values: { RUNNING: 1, STOPPED: 0 } }
    start(sparkplug([state, { ...tag('n12', 't'), invalid: [-9_999], max: 100 }]))
    await untilLatest('state', 1)
    node.data('', [metric('state', 'STOPPED'), metric('t', -9_999)])
    await untilLatest('state', 0)
    expect(reasonOf('t')).toBe('the device sent -9999, which is listed as invalid')
    node.data('', [metric('state', 'JAMMED'), metric('t', 50)])
    await untilLatest('t', 50)
    expect(reasonOf('state')).toBe('"JAMMED" is neither in values nor a number')
    node.data('', [metric('state', 'RUNNING', { timestamp: 1_790_000_000_000, isHistorical: true })])
    node.data('', [metric('t', 777, { timestamp: 1_790_000_000_000, isHistorical: true }), metric('t', 51)])
    await untilLatest('t', 51)
    expect(sink.of('state').at(-1)).toMatchObject({ value: 1, timestamp: 1_790_000_000_000 })
    expect(new Set(sink.values('t'))).toEqual(new Set([40, 50, 51]))
  })

  it('is not born by what the broker kept of it', async () => {
    const { encodePayload } = await import('sparkplug-payload/lib/sparkplugbpayload.js')
    const metrics = [{ name: 't', type: 'Double' as const, value: 5 }]
    const topic = `spBv1.0/${GROUP}/NBIRTH/n10`
    await publisher.publishAsync(topic, Buffer.from(encodePayload({ timestamp: 1, seq: 0, metrics })), { retain: true })
    start(sparkplug([tag('n10', 't')]))
    await until('it is subscribed', () => collector?.status().lastAnswerAt !== null)
    await until('several intervals', () => (collector?.status().badTags[0]?.missedPolls ?? 0) > 3)
    expect(sink.readings).toEqual([])
    await publish(topic, '', true)
  })

  it('is not taken for dead by the will of its session before', async () => {
    const node = await edgeNode('n7', { '': [metric('t', 1)] })
    start(sparkplug([tag('n7', 't')]))
    await untilLatest('t', 1)
    const { encodePayload } = await import('sparkplug-payload/lib/sparkplugbpayload.js')
    const death = encodePayload({ timestamp: 1, metrics: [{ name: 'bdSeq', type: 'UInt64', value: 99 }] })
    await publisher.publishAsync(`spBv1.0/${GROUP}/NDEATH/n7`, Buffer.from(death))
    node.data('', [metric('t', 2)])
    await untilLatest('t', 2)
    expect([node.rebirths, reasonOf('t')]).toEqual([1, undefined])
  })

  it('is shown by check with the metrics that it has', async () => {
    await edgeNode('n8', { '': [], press: [metric('t', 1)] })
    const found = await probe(sparkplug([tag('n8', 't', 'press'), tag('n8', 'x', 'press'), tag('n9', 'y')]), probeDeps)
    expect(found).toMatchObject({ ok: false, answered: true, summary: expect.stringContaining('2 of 3 tags cannot be read') })
    expect(found.lines).toEqual([
      'n8/press t t: 1 u',
      'n8/press x x: its birth has no metric x; it has t',
      'n9 y y: the node n9 has published no birth yet',
    ])
  })
})

describe('settings of a broker', () => {
  const faultOf = (more: object) =>
    AgentFile.safeParse({
      hub: { url: 'https://hub.example.com', api_key: 'hk_x' },
      collectors: [{ name: 'b', machine_identifier: 'm', host: '127.0.0.1', ...more }],
    }).error?.issues[0]?.message

  it.each([
    [{ protocol: 'mqtt', topics: [topicOf('a/+')] }, 'must not hold + or #'],
    [{ protocol: 'mqtt', topics: [topicOf('a')], qos: 2 }, 'Invalid input'],
    [{ protocol: 'sparkplug', metrics: [tag('n', 't')], group: 'a/b' }, 'must not hold + # /'],
    [{ protocol: 'sparkplug', metrics: [tag('n', 't')] }, 'received undefined'],
    [{ protocol: 'mqtt', topics: [topicOf('a')], client_id: 'no spaces' }, 'must be 1-64'],
  ])('refuse %j', (more, message) => {
    expect(faultOf(more)).toContain(message)
  })

  it.each([
    [{ persistent_session: true }, 'needs timestamp'],
    [{ persistent_session: true, timestamp: { field: 'at' }, timestamps: 'agent' }, 'must be false with timestamps: agent'],
    [{ timestamps: 'source' }, 'source needs timestamp'],
    [{ persistent_session: true, qos: 0, timestamp: { field: 'at' } }, 'needs qos: 1'],
    [{ ca_file: '/ca.pem' }, 'counts with tls: true only'],
  ])('refuse the combination %j', (settings, message) => {
    expect(mqttContract.configFaults(MqttConfig.parse(settings))[0]?.message).toContain(message)
  })

  it('have defaults', () => {
    expect(faultOf({ protocol: 'mqtt', topics: [topicOf('a')] })).toBeUndefined()
    expect(MqttConfig.parse({})).toMatchObject({ tls: false, qos: 1 })
    expect(SparkplugConfig.parse({ group: 'g' })).toMatchObject({ tls: false, request_rebirths: true })
  })
})
