import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { suggest } from '../src/features/telemetry/tag-mappings/suggest.ts'
import { compoundOf, wordsOf } from '../src/features/telemetry/tag-mappings/tokens.ts'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()
const map = (by: TestUser, machineId: string, ...tags: (string | Record<string, unknown>)[]) =>
  by.call('POST', 'tag-mappings/auto-map', {
    tags: tags.map((tag) => ({ machine_id: machineId, ...(typeof tag === 'string' ? { raw_tag: tag } : tag) })),
  })
const listed = async (by: TestUser, machineId: string) => (await by.call('GET', `machines/${machineId}/tag-mappings`)).body

describe('the words of a tag', () => {
  it.each([
    ['DB10.Motor1_Temp', ['db', 'motor', 'temp']],
    ['GVL_IO.rHydraulicPressure_bar', ['gvl', 'io', 'r', 'hydraulic', 'pressure', 'bar']],
    ['SpindleRPM', ['spindle', 'rpm']],
    ['Öl-Temperatur [°C]', ['oel', 'temperatur', 'deg', 'c']],
    ['%MW100', ['mw']],
    ['pH_Wert', ['ph', 'wert']],
  ])('%s', (tag, words) => expect(wordsOf(tag)).toEqual(words))
  it('take German compounds apart, whole ones only', () => {
    const known = new Set(['kuehlwasser', 'temperatur', 'oel', 'druck'])
    const dictionary = { has: (word: string) => known.has(word), maxLength: 11 }
    expect(compoundOf('kuehlwassertemperatur', dictionary)).toEqual(['kuehlwasser', 'temperatur'])
    expect(compoundOf('oelstemperatur', dictionary)).toEqual(['oel', 'temperatur'])
    for (const word of ['oeldruckx', 'oels', 'oelsx', '', 'oe']) expect(compoundOf(word, dictionary)).toBe(null)
  })

  it('of a compound cost a bounded number of look-ups for each letter', () => {
    const words = new Set(['mot', 'motor', 'motormotor', 'deg', 'degdeg'])
    for (const word of [`${'motor'.repeat(400)}x`, 'motor'.repeat(400), `${'deg'.repeat(700)}q`, `${'motors'.repeat(300)}x`]) {
      let lookUps = 0
      const counting = { has: (part: string) => ++lookUps > 0 && words.has(part), maxLength: 10 }
      compoundOf(word, counting)
      expect(lookUps).toBeLessThanOrEqual(10 * word.length)
    }
  })

  it.each([
    ['degree signs', '°'.repeat(500)],
    ['compounds', `${'motor'.repeat(99)}x`],
    ['percent signs', `${'%'.repeat(499)}x`],
    ['capitals', 'A'.repeat(500)],
    ['a letter and capitals', `a${'A'.repeat(499)}`],
    ['digits after min', `min${'1'.repeat(497)}`],
    ['repeated minima', 'min1 '.repeat(100)],
    ['digits of a range', `1-${'2'.repeat(400)}x1`],
    ['brackets', "]'".repeat(250)],
    ['alternating case', 'aA'.repeat(250)],
  ])('of 500 signs and of a context of 2,000 are read at once: %s', (_, text) => {
    const context = text.repeat(4)
    // a vocabulary that is searched again and again would take minutes
    for (let i = 0; i < 50; i++) expect(suggest(text, context).name).not.toBe('')
  })
})

describe('suggestions', () => {
  const rows = readFileSync(path.join(import.meta.dirname, 'files/labelled-tags.tsv'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('\t') as [string, string, string, string?])
  const judged = rows.map(([maker, tag, metric, unit = ''], i) => {
    const found = suggest(tag)
    const isRight = metric === 'unknown' ? found.confidence < 0.5 : found.name === metric
    return {
      maker,
      tag,
      isHeldOut: i % 2 === 1,
      isRight,
      isWhole: isRight && (metric === 'unknown' || found.unit === unit),
      ...found,
    }
  })
  const rate = (of: typeof judged, by: 'isRight' | 'isWhole' = 'isRight') => of.filter((row) => row[by]).length / of.length

  it('reach the rate in docs/tag-mapping.md on tags that the vocabulary was not built from', () => {
    const heldOut = judged.filter((row) => row.isHeldOut)
    expect(rows.length).toBeGreaterThanOrEqual(300)
    expect(heldOut.length).toBe(151)
    const documented = readFileSync(path.join(import.meta.dirname, '../docs/tag-mapping.md'), 'utf8').replace(/ +/g, ' ')
    expect(documented).toContain(
      `| held out | 151 | ${(rate(heldOut) * 100).toFixed(1)} % | ${(rate(heldOut, 'isWhole') * 100).toFixed(1)} % |`,
    )
    expect(rate(heldOut)).toBeGreaterThan(0.9)
  })
  it('are right more often with a higher confidence', () => {
    const known = judged.filter((row) => row.confidence >= 0.5)
    const [sure, unsure] = [known.filter((row) => row.confidence >= 0.85), known.filter((row) => row.confidence < 0.85)]
    expect(rate(sure)).toBeGreaterThanOrEqual(0.95)
    expect(rate(unsure)).toBeGreaterThanOrEqual(0.6)
    expect(rate(unsure)).toBeLessThanOrEqual(rate(sure))
  })
  it.each([
    ['AI_17', 'Motortemperatur Pumpe 3, 0..120 °C', 'motor_temperature', 'celsius'],
    ['Reg_40123', 'hydraulic pressure, bar', 'hydraulic_pressure', 'bar'],
    ['DB7.DBD4', 'Drehzahl', 'speed', 'rpm'],
  ])('read the context of a tag that says nothing: %s', (tag, context, name, unit) => {
    const [alone, with_] = [suggest(tag), suggest(tag, context)]
    expect(with_).toMatchObject({ name, unit })
    expect(with_.confidence).toBeGreaterThan(alone.confidence)
    expect(with_.confidence).toBeLessThan(0.85)
  })
  it.each([
    ['Temp_1', '32..212', 'temperature', 'fahrenheit', 0.86],
    ['Temp_1', '-40 to 150', 'temperature', 'celsius', 0.86],
    ['Temp_1', '32..212 °C', 'temperature', 'celsius', 0.94],
    ['Kesseltemperatur', 'Bereich 273,15 bis 600', 'temperature', 'kelvin', 0.9],
    ['Druck', '0...250', 'pressure', 'bar', 0.9],
    ['Pressure', 'min: 0, max: 3000', 'pressure', 'psi', 0.9],
    ['Luftdruck', '800-1100', 'air_pressure', 'hPa', 0.9],
    ['Drehzahl', '0 - 50', 'speed', 'Hz', 0.9],
    ['Level_1', '0..4000', 'level', 'mm', 0.9],
    // nothing is colder
    ['Temp_C', '-400..100', 'temperature', 'celsius', 0.59],
    ['Feuchte', '0..1500', 'humidity', '%', 0.55],
    // what the converter counts has no unit yet
    ['Druck', '0..27648', 'pressure', '', 0.4],
    ['Temp_1', '4-20 mA', 'temperature', '', 0.4],
    ['AI_07', '0..16', 'ai', '', 0.05],
    ['Temp_1', 'since 2026-01-31', 'temperature', 'celsius', 0.86],
  ])('read the range of values: %s, %s', (tag, context, name, unit, confidence) => {
    expect(suggest(tag, context)).toEqual({ name, unit, confidence })
  })
  it.each([
    ['DB20.TotalCount', 'total_count', 'count'],
    ['Line1_PartsCounter', 'total_count', 'count'],
    ['Stueckzaehler', 'total_count', 'count'],
    ['GoodPartCount', 'good_count', 'count'],
    ['Zaehler_Gutteile', 'good_count', 'count'],
    ['IdealCycleTime_s', 'ideal_cycle_seconds', 's'],
    ['Ideal_Cycle', 'ideal_cycle_seconds', 's'],
    ['Soll_Taktzeit', 'ideal_cycle_seconds', 's'],
    ['ZykluszeitSoll', 'ideal_cycle_seconds', 's'],
    ['Taktzeit_Ist', 'cycle_time', 's'],
  ])('offer the counters from which OEE is computed: %s is %s', (tag, name, unit) => {
    const found = suggest(tag)
    expect([found.name, found.unit, found.confidence >= 0.5]).toEqual([name, unit, true])
  })

  it('that are none keep the words of the tag, with next to no confidence', () => {
    expect(suggest('Spare_12')).toEqual({ name: 'spare', unit: '', confidence: 0.05 })
    expect(suggest('123')).toEqual({ name: 'unknown', unit: '', confidence: 0.05 })
    expect(suggest(`${'Xy'.repeat(249)}`).name.length).toBeLessThanOrEqual(255)
  })
})

describe('auto-map', () => {
  it('answers a suggestion for each tag and saves it for review', async () => {
    const { admin, machine } = await plant(hub)
    const { status, body } = await map(admin, machine.id, 'Oeltemperatur', 'Spare_1')
    expect([status, body]).toEqual([
      200,
      {
        results: [
          { raw_tag: 'Oeltemperatur', standardized_name: 'oil_temperature', unit: 'celsius', confidence_score: 0.9 },
          { raw_tag: 'Spare_1', standardized_name: 'spare', unit: '', confidence_score: 0.05 },
        ],
        saved_count: 2,
      },
    ])
    const rows = await listed(admin, machine.id)
    expect(rows[0]).toEqual({
      version: expect.any(String),
      id: expect.any(String),
      tenant_id: admin.tenantId,
      machine_id: machine.id,
      raw_tag: 'Oeltemperatur',
      standardized_name: 'oil_temperature',
      unit: 'celsius',
      is_confirmed: false,
      confidence_score: 0.9,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
  })

  it('repeated replaces unconfirmed suggestions and never confirmed ones', async () => {
    const { admin, machine } = await plant(hub)
    await map(admin, machine.id, 'A_1', 'Motor_Temp')
    const [a, motor] = await listed(admin, machine.id)
    await admin.call('PATCH', `tag-mappings/${motor.id}`, { standardized_name: 'winding', unit: 'kelvin' })
    expect((await admin.call('POST', `tag-mappings/${motor.id}/confirm`)).body.is_confirmed).toBe(true)
    const again = await map(admin, machine.id, { raw_tag: 'A_1', context: 'Drehzahl' }, 'Motor_Temp')
    expect(again.body).toMatchObject({
      results: [{ standardized_name: 'speed' }, { standardized_name: 'winding', unit: 'kelvin', confidence_score: 1 }],
      saved_count: 1,
    })
    expect(await listed(admin, machine.id)).toMatchObject([
      { id: a.id, standardized_name: 'speed' },
      { id: motor.id, standardized_name: 'winding', unit: 'kelvin', is_confirmed: true },
    ])
  })

  it('takes 1 to 50 tags of 1 to 500 characters', async () => {
    const { admin, machine } = await plant(hub)
    const many = (n: number) => Array.from({ length: n }, (_, i) => `tag${i}`)
    for (const [tags, status] of [
      [[], 422],
      [many(50), 200],
      [many(51), 422],
      [['x'.repeat(500)], 200],
      [['x'.repeat(501)], 422],
      [[''], 422],
    ] as const)
      expect([tags.length, (await map(admin, machine.id, ...tags)).status]).toEqual([tags.length, status])
    expect((await map(admin, machine.id, 'same', 'same')).body).toMatchObject({ results: [{}, {}], saved_count: 1 })
  })

  it('knows the machines of the tenant only', async () => {
    const [{ admin }, other] = [await plant(hub), await plant(hub)]
    for (const id of [other.machine.id, randomUUID()])
      expect(await map(admin, id, 'Temp')).toMatchObject({ status: 404, body: { code: 'machine_not_found' } })
    expect(await listed(other.admin, other.machine.id)).toEqual([])
  })
})

describe('a correction', () => {
  it('changes what is given, and what a person says is certain', async () => {
    const { admin, machine } = await plant(hub)
    await map(admin, machine.id, 'x9')
    const [{ id }] = await listed(admin, machine.id)
    const patch = (body: object) => admin.call('PATCH', `tag-mappings/${id}`, body)
    expect((await patch({})).body).toMatchObject({ confidence_score: 0.05, is_confirmed: false })
    expect((await patch({ unit: 'bar' })).body).toMatchObject({ standardized_name: 'x', unit: 'bar', confidence_score: 1 })
    expect((await patch({ standardized_name: '' })).status).toBe(422)
    expect((await patch({ standardized_name: 'y'.repeat(256) })).status).toBe(422)
  })
})
