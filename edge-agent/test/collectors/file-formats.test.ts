import { appendFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileConfig } from '../../src/collectors/file/contract.ts'
import { anchorOf } from '../../src/collectors/file/position.ts'
import { type Collector, createCollector, type FileSource, probe } from '../../src/collectors/index.ts'
import { depsFor, Sink, until } from './support.ts'

let dir: string
let file: string
let sink: Sink
let stored: Map<string, string>
let collector: Collector | undefined
/** metrics and how many values of them were recorded as missed */
let missed: [string | null, number][]
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'file-formats-'))
  file = path.join(dir, 'log.csv')
  sink = new Sink()
  stored = new Map()
  missed = []
})
afterEach(async () => {
  await stop()
  rmSync(dir, { recursive: true })
})

const sourceWith = (more: object): FileSource => ({
  protocol: 'file',
  name: 'log',
  machine: 'press-01',
  pollIntervalSeconds: 0.01,
  config: FileConfig.parse({
    path: file,
    timestamp: { field: 'time', time_zone: 'UTC' },
    fields: [{ field: 'temp', metric_name: 'temperature', unit: 'celsius' }],
    ...more,
  }),
})
/** Stores readings and progress together, as the buffer does. */
const deps = () =>
  depsFor(sink, {
    checkpoints: () => stored,
    onMissedPolls: (spans) => void missed.push(...spans.map(({ metric, count }) => [metric, count] as [string | null, number])),
    onReadings: (readings, progress) => {
      sink.take(readings)
      for (const { key, state } of progress?.checkpoints ?? [])
        if (state === null) stored.delete(key)
        else stored.set(key, state)
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
async function restart(more: object = {}): Promise<void> {
  await stop()
  start(more)
}
const values = () => sink.values('temperature')
const untilRead = (count: number) => until(`${count} values are read`, () => values().length >= count)
const polls = async () => {
  const at = collector?.status().lastAnswerAt ?? 0
  await until('some polls', () => (collector?.status().lastAnswerAt ?? 0) > at + 50)
}
/** As if nothing had been written for a while. */
const rest = () => utimesSync(file, new Date(), new Date(Date.now() - 60_000))
const line = (n: number, more = '') => `2026-11-24 10:0${n}:00,${more}${n}\n`

describe('UTF-16', () => {
  const little = (text: string) => Buffer.from(text, 'utf16le')
  const big = (text: string) => little(text).swap16()

  it.each([
    ['LE', little, 'utf-16le'],
    ['BE', big, 'utf-16be'],
  ] as const)('%s is read as it grows, by its mark or by the setting, each line once', async (_name, bytes, encoding) => {
    // U+0A0A and U+0A00 hold the bytes of a line end
    const header = 'time,temp,\u0a0a\u0a00ö\r\n'
    for (const [mark, setting] of [
      ['\uFEFF', {}],
      ['', { encoding }],
    ] as const) {
      sink = new Sink()
      stored = new Map()
      writeFileSync(file, bytes(`${mark}${header}2026-11-24 10:00:00,0,\u0a0a\r\n2026-11-24 10:01:00,1,\u000a`.slice(0, -1)))
      start(setting)
      await untilRead(1)
      appendFileSync(file, bytes('\u0a00x\r\n').subarray(0, 3))
      await polls()
      expect(values()).toEqual([0])
      appendFileSync(file, bytes('\u0a00x\r\n').subarray(3))
      await untilRead(2)
      await restart(setting)
      appendFileSync(file, bytes('2026-11-24 10:02:00,2,\r\n'))
      await untilRead(3)
      expect(values()).toEqual([0, 1, 2])
      const found = await probe(sourceWith(setting), deps())
      expect(found).toMatchObject({ ok: true, readings: [{ value: 2 }] })
      await stop()
    }
  })

  it('goes on where an agent that did not know the encoding stopped within a character', async () => {
    const text = `time,temp\n${line(0)}${line(1)}`
    writeFileSync(file, Buffer.from(`\ufeff${text}`, 'utf16le'))
    start()
    await untilRead(2)
    await stop()
    const [key, state] = [...stored].find(([name]) => name === file) as [string, string]
    const position = JSON.parse(state)
    const handle = await open(file)
    const offset = position.offset - 1
    stored.set(key, JSON.stringify({ ...position, offset, anchor: await anchorOf(handle, offset) }))
    await handle.close()
    start()
    appendFileSync(file, Buffer.from(line(2), 'utf16le'))
    await untilRead(3)
    expect(values()).toEqual([0, 1, 2])
  })

  it('is read in portions, from its end on, and as a JSON document', async () => {
    const many = Array.from({ length: 20_000 }, (_, n) => `${1_790_000_000 + n},${n}\n`).join('')
    writeFileSync(file, little(`\uFEFFtime,temp\n${many}`))
    const timestamp = { field: 'time', format: 'unix' }
    start({ timestamp })
    await untilRead(20_000)
    expect(values()).toEqual(Array.from({ length: 20_000 }, (_, n) => n))
    expect(await probe(sourceWith({ timestamp }), deps())).toMatchObject({ ok: true, readings: [{ value: 19_999 }] })
    await stop()
    sink = new Sink()
    stored = new Map()
    start({ timestamp, start: 'end' })
    await until('it runs', () => collector?.status().state === 'running')
    appendFileSync(file, little('1790020000,7\n'))
    await untilRead(1)
    expect(values()).toEqual([7])
    await stop()
    sink = new Sink()
    stored = new Map()
    writeFileSync(file, big('\uFEFF[{"time":"2026-11-24 10:00:00","temp":"1.234,5"}]'))
    start({ format: 'json', decimal: ',', thousands: '.' })
    await untilRead(1)
    expect(values()).toEqual([1_234.5])
  })
})

describe('a quoted cell with line breaks', () => {
  const header = 'time,note,temp\n'
  const open = '"a note\r\nof ""two"", lines",'

  it('is one record, also in a header, while it is being written, and after a restart within it', async () => {
    writeFileSync(file, `time,"note of\nthe shift",temp\n${line(0, open)}2026-11-24 10:01:00,"a note\n`)
    start({
      fields: [
        { field: 'temp', where: { 'note of the shift': 'a note\nof "two", lines' }, metric_name: 'temperature', unit: 'u' },
      ],
    })
    await untilRead(1)
    await polls()
    await restart()
    appendFileSync(file, 'of two\nlines",1\n')
    await untilRead(2)
    await polls()
    expect(values()).toEqual([0, 1])
    expect(sink.readings[1]?.timestamp).toBe(Date.parse('2026-11-24T10:01:00Z'))
    expect(collector?.status().badTags).toEqual([])
  })

  it('is one record at the end of a portion', async () => {
    const records = Array.from({ length: 9_000 }, (_, n) => `${1_790_000_000 + n},"${'x\n'.repeat(10)}",${n}\n`)
    writeFileSync(file, header + records.join(''))
    start({ timestamp: { field: 'time', format: 'unix' } })
    await untilRead(9_000)
    expect(values()).toEqual(Array.from({ length: 9_000 }, (_, n) => n))
    expect(collector?.status().missedPolls.failed).toBe(0)
  })

  it('that is never closed costs its line: within 100 lines, when a quote follows, and when nothing more comes', async () => {
    const broken = '2026-11-24 10:00:00,"never closed,0\n'
    const many = Array.from({ length: 150 }, (_, n) => `${new Date(Date.UTC(2026, 10, 24, 11, n)).toISOString()},,${n}\n`)
    writeFileSync(file, header + broken + many.slice(0, 50).join(''))
    start()
    await polls()
    expect(values()).toEqual([])
    appendFileSync(file, many.slice(50).join(''))
    await untilRead(150)
    expect(collector?.status().badTags).toEqual([])
    appendFileSync(file, `${broken}${line(1, 'x,')}${line(2, '"y",')}`)
    await untilRead(152)
    expect(values().slice(150)).toEqual([1, 2])
    appendFileSync(file, `${broken}${line(3, 'x,')}`)
    await polls()
    expect(values()).toHaveLength(152)
    rest()
    await untilRead(153)
    appendFileSync(file, broken)
    rest()
    await until('it says so', () => /quoted cell is not closed/.test(collector?.status().badTags[0]?.reason ?? ''))
    expect(values()).toHaveLength(153)
  })

  it('is no way for two stray quotes to swallow lines', async () => {
    writeFileSync(file, 'time,temp,unit\n')
    appendFileSync(file, '2026-11-24 10:00:00,0,"\n2026-11-24 10:01:00,1,"\n2026-11-24 10:02:00,2,x\n')
    start()
    await untilRead(1)
    rest()
    await until('the others are left out', () => collector?.status().badValuesTotal !== 0)
    await stop()
    expect(values()).toEqual([2])
    expect(missed).toEqual([['temperature', 2]])
  })

  it('that is closed in a line without an end waits for that, and is read when the last line counts', async () => {
    writeFileSync(file, `${header}${line(0, 'x,')}2026-11-24 10:01:00,"a\nb",1`)
    rest()
    start()
    await untilRead(1)
    await polls()
    expect(values()).toEqual([0])
    await restart({ last_line_after_seconds: 0.001 })
    await untilRead(2)
    expect(values()).toEqual([0, 1])
  })

  it('that check begins within is no fault', async () => {
    const records = Array.from({ length: 3_000 }, (_, n) => `${1_790_000_000 + n},"${'some words\n'.repeat(40)}",${n}\n`)
    writeFileSync(file, header + records.join(''))
    const found = await probe(sourceWith({ timestamp: { field: 'time', format: 'unix' } }), deps())
    expect(found).toMatchObject({ ok: true, readings: [{ value: 2_999 }] })
  })
})

describe('settings of a sheet', () => {
  it('thousands, AM and PM, and serial dates are read', async () => {
    writeFileSync(file, 'time;temp\n11/24/2026 01:02:03 PM;1.234,5\n11/24/2026 1:02:04 PM;2.000\n')
    const timestamp = { field: 'time', format: 'MM/dd/yyyy hh:mm:ss a', time_zone: 'UTC' }
    start({ delimiter: ';', decimal: ',', thousands: '.', timestamp })
    await untilRead(2)
    expect(values()).toEqual([1_234.5, 2_000])
    expect(sink.readings[0]?.timestamp).toBe(Date.parse('2026-11-24T13:02:03Z'))
    await stop()
    sink = new Sink()
    stored = new Map()
    writeFileSync(file, '{"time":46350.5,"temp":"1,234.5"}\n')
    start({ format: 'json_lines', thousands: ',', timestamp: { field: 'time', format: 'excel', time_zone: 'UTC' } })
    await untilRead(1)
    expect([values(), sink.readings[0]?.timestamp]).toEqual([[1_234.5], Date.parse('2026-11-24T12:00:00Z')])
  })

  it('the hour that autumn repeats goes on after a restart', async () => {
    const timestamp = { field: 'time', time_zone: 'Europe/Berlin' }
    const at = (time: string, n: number) => `2026-10-25 ${time},${n}\n`
    writeFileSync(file, `time,temp\n${at('02:10:00', 0)}${at('02:50:00', 1)}`)
    start({ timestamp })
    await untilRead(2)
    await restart({ timestamp })
    appendFileSync(file, `${at('02:10:00', 2)}${at('02:50:00', 3)}${at('03:00:00', 4)}`)
    await untilRead(5)
    const times = sink.readings.map((reading) => new Date(reading.timestamp).toISOString().slice(11, 16))
    expect(times).toEqual(['00:10', '00:50', '01:10', '01:50', '02:00'])
  })
})
