import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileConfig } from '../../src/collectors/file/contract.ts'
import { type Collector, type CollectorDeps, createCollector, type FileSource, probe } from '../../src/collectors/index.ts'
import type { MissedPollSpan } from '../../src/collectors/missed-polls.ts'
import { AgentFile } from '../../src/settings/schema.ts'
import { systemClock } from '../../src/support/clock.ts'
import { depsFor, Sink, until } from './support.ts'

let dir: string
let sink: Sink
let stored: Map<string, string>
let collector: Collector | undefined
let accepts: boolean
let missed: MissedPollSpan[]

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'files-'))
  sink = new Sink()
  stored = new Map()
  accepts = true
  missed = []
})
afterEach(async () => {
  await collector?.stop()
  collector = undefined
  rmSync(dir, { recursive: true })
})

const inDir = (name: string) => path.join(dir, name)
const FIELDS = [{ field: 'temp', metric_name: 'temperature', unit: 'celsius' }]
const sourceWith = (more: object = {}): FileSource => ({
  protocol: 'file',
  name: 'log',
  machine: 'press-01',
  pollIntervalSeconds: 0.01,
  config: FileConfig.parse({ path: inDir('log.csv'), timestamp: { field: 'time', time_zone: 'UTC' }, fields: FIELDS, ...more }),
})
/** Stores readings and progress together, as the buffer does. */
const deps = (): CollectorDeps =>
  depsFor(sink, {
    checkpoints: () => stored,
    onMissedPolls: (spans) => void missed.push(...spans),
    onReadings: (readings, progress) => {
      if (!accepts) return false
      sink.take(readings)
      missed.push(...(progress?.missed ?? []))
      for (const { key, state } of progress?.checkpoints ?? [])
        if (state === null) stored.delete(key)
        else stored.set(key, state)
      return true
    },
  })
function start(more: object = {}): Collector {
  collector = createCollector(sourceWith(more), deps())
  collector.start()
  return collector
}
async function stop(): Promise<void> {
  await collector?.stop()
  collector = undefined
}
/** One a minute. */
const minute = (n: number) => new Date(Date.UTC(2026, 10, 24, 10, n)).toISOString().slice(0, 19).replace('T', ' ')
const line = (n: number) => `${minute(n)},${n}\n`
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => line(from + i)).join('')
const upTo = (to: number) => Array.from({ length: to }, (_, i) => i)
const values = () => sink.values('temperature')
const untilRead = (count: number) => until(`${count} values are read`, () => values().length >= count)
/** Several polls pass. */
const polls = async () => {
  const at = collector?.status().lastAnswerAt ?? 0
  await until('some polls', () => (collector?.status().lastAnswerAt ?? 0) > at + 50)
}

describe('a CSV file', () => {
  it('is read from its beginning, and as it grows', async () => {
    writeFileSync(inDir('log.csv'), `\uFEFFtime,temp\r\n${line(0)}${line(1)}`)
    start()
    await untilRead(2)
    appendFileSync(inDir('log.csv'), line(2))
    await untilRead(3)
    expect(sink.readings[1]).toEqual({
      machine: 'press-01',
      metric: 'temperature',
      unit: 'celsius',
      rawTag: 'temp',
      timestamp: Date.parse('2026-11-24T10:01:00Z'),
      value: 1,
    })
    expect(values()).toEqual([0, 1, 2])
    await until('it runs', () => collector?.status().state === 'running')
    expect(collector?.status()).toMatchObject({ detail: '', readingsTotal: 3, isEventDriven: true })
  })

  it('is waited for, and a half-written line too', async () => {
    start()
    await until('it is missed', () => collector?.status().state === 'reconnecting')
    expect(collector?.status().detail).toContain('there is no file')
    writeFileSync(inDir('log.csv'), 'time,te')
    await polls()
    appendFileSync(inDir('log.csv'), `mp\n${minute(0)},12`)
    await polls()
    expect(values()).toEqual([])
    appendFileSync(inDir('log.csv'), '.5\n')
    await untilRead(1)
    expect(values()).toEqual([12.5])
  })

  it('goes on where it was, also at a line that was half written', async () => {
    writeFileSync(inDir('log.csv'), `time,temp\n${lines(0, 3)}${minute(3)},`)
    start()
    await untilRead(3)
    await stop()
    appendFileSync(inDir('log.csv'), `3\n${line(4)}`)
    start()
    await untilRead(5)
    expect(values()).toEqual(upTo(5))
  })

  it('is read again from the last line that was stored', async () => {
    writeFileSync(inDir('log.csv'), `time,temp\n${line(0)}`)
    start()
    await untilRead(1)
    accepts = false
    appendFileSync(inDir('log.csv'), line(1))
    await until('it says so', () => collector?.status().detail.includes('the disk accepts no write') === true)
    accepts = true
    await untilRead(2)
    expect(values()).toEqual([0, 1])
    await until('it runs again', () => collector?.status().state === 'running')
  })

  it('is not read while its stored position cannot be read', async () => {
    writeFileSync(inDir('log.csv'), `time,temp\n${line(0)}`)
    let isKnown = false
    collector = createCollector(sourceWith(), { ...deps(), checkpoints: () => (isKnown ? stored : null) })
    collector.start()
    await until('it says so', () => collector?.status().detail.includes('disk cannot be used') === true)
    isKnown = true
    await untilRead(1)
  })
})

describe('a file that is rotated', () => {
  beforeEach(async () => {
    writeFileSync(inDir('log.csv'), `time,temp\n${lines(0, 3)}`)
  })

  it.each([false, true])('by a new name is read to its end (the agent was stopped meanwhile: %s)', async (isStopped) => {
    start()
    await untilRead(3)
    if (isStopped) await stop()
    appendFileSync(inDir('log.csv'), line(3))
    renameSync(inDir('log.csv'), inDir('log.csv.1'))
    writeFileSync(inDir('log.csv'), `time,temp\n${line(5)}`)
    // who writes it may not know of the rotation yet
    appendFileSync(inDir('log.csv.1'), line(4))
    if (isStopped) start()
    await untilRead(6)
    appendFileSync(inDir('log.csv'), line(6))
    await untilRead(7)
    expect(values().toSorted((a, b) => a - b)).toEqual(upTo(7))
  })

  it('twice, while it was not read to its end, loses nothing that the pattern names', async () => {
    const pattern = { path: inDir('log.csv*') }
    start(pattern)
    await untilRead(3)
    await stop()
    appendFileSync(inDir('log.csv'), line(3))
    renameSync(inDir('log.csv'), inDir('log.csv.1'))
    writeFileSync(inDir('log.csv'), `time,temp\n${line(4)}`)
    renameSync(inDir('log.csv.1'), inDir('log.csv.2'))
    renameSync(inDir('log.csv'), inDir('log.csv.1'))
    writeFileSync(inDir('log.csv'), `time,temp\n${line(5)}`)
    start(pattern)
    await untilRead(6)
    await polls()
    expect(values().toSorted((a, b) => a - b)).toEqual(upTo(6))
  })

  it.each([false, true])(
    'by copying and truncating is read from both (the agent was stopped meanwhile: %s)',
    async (isStopped) => {
      start()
      await untilRead(3)
      await stop()
      appendFileSync(inDir('log.csv'), line(3))
      if (!isStopped) {
        start()
        await untilRead(4)
      }
      copyFileSync(inDir('log.csv'), inDir('log.csv.1'))
      truncateSync(inDir('log.csv'))
      await (isStopped ? start() : polls())
      appendFileSync(inDir('log.csv'), `time,temp\n${line(4)}`)
      await untilRead(5)
      expect(values().toSorted((a, b) => a - b)).toEqual(upTo(5))
    },
  )

  it.each(['renamed', 'copied'])('%s again and again while it is written loses and doubles nothing', async (how) => {
    start()
    let n = 3
    for (let rotation = 0; rotation < 30; rotation++) {
      for (let i = 0; i < 5; i++) {
        appendFileSync(inDir('log.csv'), lines(n, n + 10))
        n += 10
        await systemClock.sleep((rotation * 7 + i * 3) % 11)
      }
      const untilNow = n
      await until('all so far is read', () => new Set(values()).size >= untilNow - 20)
      const name = inDir(`log.csv.${rotation}`)
      if (how === 'renamed') renameSync(inDir('log.csv'), name)
      else {
        copyFileSync(inDir('log.csv'), name)
        truncateSync(inDir('log.csv'))
      }
      appendFileSync(inDir('log.csv'), 'time,temp\n')
    }
    await untilRead(n)
    expect(values().toSorted((a, b) => a - b)).toEqual(upTo(n))
  })

  it('and grown beyond its old size begins anew', async () => {
    start()
    await untilRead(3)
    writeFileSync(inDir('log.csv'), `time,temp\n${lines(10, 20)}`)
    await untilRead(13)
    expect(values().slice(3)).toEqual(upTo(20).slice(10))
  })

  it('and removed at once is read to its end', async () => {
    start()
    await untilRead(3)
    appendFileSync(inDir('log.csv'), lines(3, 6))
    rmSync(inDir('log.csv'))
    await untilRead(6)
    expect(values()).toEqual(upTo(6))
  })

  it.each(['truncated', 'removed'])(
    '%s while the agent was off, before all of it was read, is a gap since its last line',
    async (how) => {
      start()
      await untilRead(3)
      await stop()
      appendFileSync(inDir('log.csv'), lines(3, 6))
      if (how === 'removed') rmSync(inDir('log.csv'))
      else writeFileSync(inDir('log.csv'), `time,temp\n${line(6)}`)
      start()
      await until('the loss is recorded', () => missed.length > 0)
      expect(collector?.status().missedPolls.failed).toBe(1)
      await stop()
      const fromAt = Date.parse('2026-11-24T10:02:00Z')
      const span = { machine: 'press-01', metric: null, unit: '', reason: 'no_answer', fromAt, count: 1, stepMs: 0 }
      expect(missed).toMatchObject([
        { ...span, isOver: false },
        { ...span, isOver: true },
      ])
    },
  )

  it('and removed after all of it was read is no gap, whether the agent ran meanwhile or the file had not changed for long', async () => {
    start()
    await untilRead(3)
    await polls()
    rmSync(inDir('log.csv'))
    await until('it is missed', () => collector?.status().state === 'reconnecting')
    await stop()
    writeFileSync(inDir('log.csv'), `time,temp\n${lines(3, 6)}`)
    start()
    await untilRead(6)
    await stop()
    const position = JSON.parse(stored.get(inDir('log.csv')) as string)
    stored.set(inDir('log.csv'), JSON.stringify({ ...position, isIdle: true }))
    rmSync(inDir('log.csv'))
    start()
    await until('it is missed again', () => collector?.status().state === 'reconnecting')
    await stop()
    expect(missed).toEqual([])
  })

  it('is not confused with another file of the same header', async () => {
    writeFileSync(inDir('log.csv'), 'time,temp\n')
    start()
    await polls()
    await stop()
    rmSync(inDir('log.csv'))
    writeFileSync(inDir('unrelated.csv'), `time,temp\n${line(30)}`)
    start()
    await until('it is missed', () => collector?.status().state === 'reconnecting')
    expect(values()).toEqual([])
  })
})

describe('many files', () => {
  it('of a pattern are read in the order of their age, and new ones as they come', async () => {
    mkdirSync(inDir('a'))
    for (const n of [2, 1]) writeFileSync(inDir(`a/${n}.csv`), `time,temp\n${line(n)}`)
    const { utimesSync } = await import('node:fs')
    utimesSync(inDir('a/1.csv'), 1_000, 1_000)
    start({ path: inDir('*/*.csv') })
    await untilRead(2)
    writeFileSync(inDir('a/3.csv'), `temp,time\n3,${minute(3)}\n`)
    await untilRead(3)
    expect(values()).toEqual([1, 2, 3])
  })

  it('that were read and are removed at once cost little, and the others go on', async () => {
    for (let n = 0; n < 300; n++) writeFileSync(inDir(`${n}.csv`), `time,temp\n${line(n)}`)
    start({ path: inDir('*.csv') })
    await untilRead(300)
    for (let n = 0; n < 299; n++) rmSync(inDir(`${n}.csv`))
    appendFileSync(inDir('299.csv'), line(300))
    await untilRead(301)
    await until('they are forgotten', () => stored.size === 2)
    expect(values().toSorted((a, b) => a - b)).toEqual(upTo(301))
  })

  it('that cannot be read are named, and the others are read', async () => {
    writeFileSync(inDir('a.csv'), `time,temp\n${line(0)}`)
    writeFileSync(inDir('b.csv'), 'when,temp\n')
    start({ path: inDir('*.csv') })
    await until('it says so', () => collector?.status().detail.includes('b.csv: there is no column time') === true)
    expect(collector?.status().state).toBe('running')
    await untilRead(1)
  })
})

describe('lines', () => {
  it('of a file without the column of timestamps wait until the settings name the right one', async () => {
    writeFileSync(inDir('log.csv'), `when,temp\n${lines(0, 3)}`)
    start()
    const expected = `${inDir('log.csv')}: there is no column time, which timestamp names; there are when, temp`
    await until('the status names it', () => collector?.status().detail === expected)
    await stop()
    start({ timestamp: { field: 'when', time_zone: 'UTC' } })
    await untilRead(3)
    expect(values()).toEqual(upTo(3))
  })

  it('become the values that they hold', async () => {
    const content = [
      'a;b;c;d;when',
      '1,5;"2,5";TRUE;"say ""x""";24.11.2026 10:00:00',
      '1.5;;false;;24.11.2026 10:00:01',
      '-1e3; 7 ;0;;24.11.2026 10:00:02',
    ]
    writeFileSync(inDir('log.csv'), content.join('\n'))
    const field = (name: string) => ({ field: name, metric_name: name, unit: 'u' })
    start({
      delimiter: ';',
      decimal: ',',
      timestamp: { field: 'when', format: 'dd.MM.yyyy HH:mm:ss', time_zone: 'Europe/Berlin' },
      last_line_after_seconds: 0.05,
      fields: [{ ...field('a'), scale: 0.1, offset: 1, machine_identifier: 'oven' }, field('b'), field('c'), field('d')],
    })
    await until('all are read', () => sink.of('b').length === 2)
    expect(sink.values('a')).toEqual([1.15, -99])
    expect(sink.values('b')).toEqual([2.5, 7])
    expect(sink.values('c')).toEqual([1, 0, 0])
    expect(sink.of('a')[0]).toMatchObject({ machine: 'oven', timestamp: Date.parse('2026-11-24T09:00:00Z') })
    expect(collector?.status().badTags.map(({ rawTag, reason }) => [rawTag, reason])).toContainEqual([
      'd',
      '"say \\"x\\"" is no number',
    ])
  })

  it('that the field rules out are no readings but gaps, and texts become the numbers that values names', async () => {
    const rows = ['RUNNING;32767;5,5', 'STOPPED;1;1001', 'JAMMED;2;10']
    writeFileSync(inDir('log.csv'), `state;raw;p;time\n${rows.map((row, i) => `${row};${minute(i)}\n`).join('')}`)
    const field = (name: string, more: object) => ({ field: name, metric_name: name, unit: 'u', ...more })
    start({
      delimiter: ';',
      decimal: ',',
      fields: [
        field('state', { values: { RUNNING: 1, STOPPED: 0 } }),
        field('raw', { invalid: [32_767] }),
        field('p', { scale: 0.1, max: 100 }),
      ],
    })
    await until('all are read', () => sink.of('p').length === 2)
    expect(['state', 'raw', 'p'].map((name) => sink.values(name))).toEqual([
      [1, 0],
      [1, 2],
      [0.55, 1],
    ])
    expect(collector?.status()).toMatchObject({
      badValuesTotal: 3,
      badTags: [{ rawTag: 'state', reason: '"JAMMED" is neither in values nor a number' }],
    })
  })

  it('with one timestamp are readings of their own, also across a restart', async () => {
    const same = (n: number) => `${minute(0)},${n}\n`
    writeFileSync(inDir('log.csv'), `time,temp\n${same(0)}${same(1)}`)
    start()
    await untilRead(2)
    await stop()
    appendFileSync(inDir('log.csv'), `${same(2)}${line(3)}`)
    start()
    await untilRead(4)
    const at = Date.parse('2026-11-24T10:00:00Z')
    expect(sink.readings.map(({ timestamp }) => timestamp - at)).toEqual([0, 1, 2, 180_000])
  })

  it('with one value each are distinguished by their other columns', async () => {
    writeFileSync(inDir('log.csv'), `tag,value,time\nT1,20,${minute(0)}\nP1,6,${minute(0)}\nT1,21,${minute(1)}\n`)
    start({ fields: [{ field: 'value', where: { tag: 'T1' }, metric_name: 'temperature', unit: 'celsius' }] })
    await untilRead(2)
    expect(sink.readings.map(({ value, rawTag }) => [value, rawTag])).toEqual([
      [20, 'value tag=T1'],
      [21, 'value tag=T1'],
    ])
  })

  it('without a timestamp get the time at which they come; what was there before is passed over', async () => {
    writeFileSync(inDir('log.csv'), 'temp\n1\n2\n3')
    const from = Date.now()
    start({ timestamp: undefined })
    await polls()
    appendFileSync(inDir('log.csv'), '\n4\n5\n')
    await untilRead(3)
    expect(values()).toEqual([3, 4, 5])
    const times = sink.readings.map(({ timestamp }) => timestamp)
    expect(new Set(times).size).toBe(3)
    for (const at of times) expect(at).toBeGreaterThanOrEqual(from)
  })

  it('that cannot be read are left out, counted and named; the next good one is read', async () => {
    const missed: [string | null, number][] = []
    writeFileSync(inDir('log.csv'), `time,temp\n${line(0)}half a line\nyesterday,5\n"${minute(1)},1\n`)
    // a quoted cell may go on while the file is being written
    utimesSync(inDir('log.csv'), 0, 0)
    collector = createCollector(sourceWith(), {
      ...deps(),
      onMissedPolls: (spans) =>
        void missed.push(...spans.filter(({ isOver }) => isOver).map(({ metric, count }) => [metric, count] as [string, number])),
    })
    collector.start()
    await until('it says so', () => collector?.status().badTags[0]?.reason === 'a line has 1 of 2 columns')
    await until('it needs a person', () => collector?.status().state === 'failing')
    expect(collector.status()).toMatchObject({ badTags: [{ missedPolls: 3 }] })
    appendFileSync(inDir('log.csv'), `${'9'.repeat(600_000)}\n${line(2)}`)
    await untilRead(2)
    expect(values()).toEqual([0, 2])
    await until('it runs', () => collector?.status().state === 'running')
    expect(collector.status().badTags).toEqual([])
    await stop()
    expect(missed).toEqual([['temperature', 4]])
  })

  it('name the columns that the header has, where one is missing', async () => {
    writeFileSync(inDir('log.csv'), `time,Temp\n${line(0)}`)
    start()
    await until('it says so', () => collector?.status().badTags[0]?.reason === 'there is no column temp; there are time, Temp')
  })
})

describe('JSON', () => {
  it('of one object a line is read as it grows', async () => {
    const object = (n: number) => `${JSON.stringify({ time: minute(n), data: { temp: n } })}\n`
    writeFileSync(inDir('log.csv'), object(0))
    start({ format: 'json_lines', fields: [{ ...FIELDS[0], field: 'data.temp' }] })
    await untilRead(1)
    appendFileSync(inDir('log.csv'), `${object(1)}{"time": "x"`)
    await untilRead(2)
    expect(values()).toEqual([0, 1])
    expect(collector?.status().badTags).toEqual([])
  })

  it('that is a document is read whenever its content changes, once it is whole', async () => {
    const write = (text: string) => writeFileSync(inDir('log.csv'), text)
    const document = (n: number) =>
      JSON.stringify({
        samples: [
          { time: minute(n), temp: n },
          { time: minute(n + 1), temp: n + 1 },
        ],
      })
    write(document(0))
    const settings = { format: 'json', records: 'samples' }
    start(settings)
    await untilRead(2)
    write(document(2).slice(0, 30))
    await polls()
    write(document(2))
    await untilRead(4)
    await stop()
    write(document(2))
    start(settings)
    await polls()
    // written as many programs do: under another name, and renamed
    writeFileSync(inDir('log.tmp'), document(4))
    renameSync(inDir('log.tmp'), inDir('log.csv'))
    await untilRead(6)
    expect(values()).toEqual(upTo(6))
  })

  it('that is a document has each record once, also where a clock that is ahead makes the agent date them', async () => {
    const ahead = Date.now() + 3_600_000
    const write = (to: number, from = 0) => {
      const samples = upTo(to).slice(from)
      const records = samples.map((n) => ({ time: new Date(ahead + Math.floor(n / 2) * 1_000).toISOString(), temp: n }))
      writeFileSync(inDir('log.tmp'), JSON.stringify([{ time: minute(0), temp: -1 }, ...records, { time: minute(1), temp: -2 }]))
      renameSync(inDir('log.tmp'), inDir('log.csv'))
    }
    const datedByAgent = () => values().filter((value) => value >= 0)
    const settings = { format: 'json', timestamp: { field: 'time' } }
    write(3)
    start(settings)
    await untilRead(5)
    write(5)
    await untilRead(9)
    await stop()
    write(8, 2)
    start(settings)
    await untilRead(14)
    writeFileSync(inDir('log.csv'), '[{"time": "x"}]')
    await until('a record is left out', () => (collector?.status().badTags.length ?? 0) > 0)
    write(9, 2)
    await until('the newest record', () => values().includes(8))
    expect(datedByAgent()).toEqual(upTo(9))
    expect(Math.max(...sink.readings.map(({ timestamp }) => timestamp))).toBeLessThan(ahead - 1_800_000)
    // those with a timestamp that counts come again with it: the hub stores one of them
    const old = sink.readings.filter(({ value }) => value < 0).map(({ timestamp, value }) => `${value} ${timestamp}`)
    expect(new Set(old).size).toBe(2)
  })
})

describe('check of a file', () => {
  const { onReadings: _, checkpoints: _c, ...rest } = depsFor(new Sink())

  it('shows the newest values, and what is wrong with the settings', async () => {
    writeFileSync(inDir('log.csv'), `time,temp\n${lines(0, 3)}`)
    const fields = [...FIELDS, { field: 'pressure', metric_name: 'pressure', unit: 'bar' }]
    const found = await probe(sourceWith({ fields }), rest)
    expect(found).toMatchObject({
      ok: false,
      answered: true,
      summary: `${inDir('log.csv')} can be read, but 1 of 2 tags cannot be read`,
    })
    expect(found.lines).toEqual([
      'temp temperature: 2 celsius',
      'pressure pressure: there is no column pressure; there are time, temp',
      'newest timestamp: 2026-11-24T10:02:00.000Z',
    ])
    const other = await probe(sourceWith({ timestamp: { field: 'time', format: 'unix' } }), rest)
    expect(other.summary).toMatch(/a record has "2026-11-24 10:00:00" as its timestamp, which is not of the format unix$/)
    const none = await probe(sourceWith({ path: inDir('no*.csv') }), rest)
    expect(none).toMatchObject({ ok: false, answered: false, summary: expect.stringContaining('there is no file') })
    expect((await probe(sourceWith({ path: dir }), rest)).summary).toBe(
      `${dir} is a folder: name the files in it, such as ${dir}/*.csv`,
    )
  })

  it('shows the newest values of a large file, and nothing of a line that is being written', async () => {
    writeFileSync(inDir('log.csv'), `time,temp\n${lines(0, 10_000)}2026-11-24 10:00:00,1`)
    const found = await probe(sourceWith(), rest)
    expect(found).toMatchObject({ ok: true, lines: expect.arrayContaining(['temp temperature: 9999 celsius']) })
  })

  it('accepts a file without records, if its columns are right', async () => {
    writeFileSync(inDir('log.csv'), '')
    const remark = `${inDir('log.csv')} can be read, but it holds no record yet`
    expect(await probe(sourceWith(), rest)).toMatchObject({ ok: true, summary: remark, badTags: [] })
    writeFileSync(inDir('log.csv'), 'time,pressure\n')
    expect(await probe(sourceWith(), rest)).toMatchObject({
      ok: false,
      badTags: [{ reason: 'there is no column temp; there are time, pressure' }],
    })
  })

  it('reports how far the newest line lies in the future', async () => {
    const ahead = new Date(Date.now() + 3_600_000).toISOString()
    writeFileSync(inDir('log.csv'), `time,temp\n${ahead},1\n`)
    expect((await probe(sourceWith(), rest)).clockAheadMs).toBeCloseTo(3_600_000, -5)
    writeFileSync(inDir('log.csv'), `time,temp\n${lines(0, 1)}`)
    expect((await probe(sourceWith(), rest)).clockAheadMs).toBeNull()
  })
})

describe('settings of a file', () => {
  const collectorWith = (more: object) =>
    AgentFile.safeParse({
      hub: { url: 'https://hub.example.com', api_key: 'hk_x' },
      collectors: [{ protocol: 'file', name: 'log', machine_identifier: 'press-01', path: '/x.csv', fields: FIELDS, ...more }],
    })

  it('have defaults, and no host', () => {
    const found = collectorWith({ timestamp: { field: ['date', 'time'] } }).data?.collectors[0]
    expect(found).toMatchObject({
      format: 'csv',
      delimiter: ',',
      header: true,
      timestamp: { field: ['date', 'time'], format: 'iso' },
    })
    expect(found).not.toHaveProperty('port')
  })

  it.each([
    [{ path: 'x.csv' }, 'must be an absolute path'],
    [{ path: '/**/x.csv' }, 'must not hold **'],
    [{ delimiter: ';;' }, 'must be one character'],
    [{ timestamp: { field: 't', format: 'tomorrow' } }, 'must be iso, unix'],
    [{ timestamp: { field: 't', time_zone: 'Mars/Base' } }, 'a time zone such as Europe/Berlin'],
    [{ host: '127.0.0.1' }, 'Unrecognized key'],
    [{ fields: [] }, 'Too small'],
  ])('refuse %j', (more, message) => {
    expect(collectorWith(more).error?.issues[0]?.message).toContain(message)
  })
})
