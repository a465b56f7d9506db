import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { nodeDeflate, nodeInflate, nodeSha256 } from '../../test/generator.ts'
import { VECTORS } from '../../test/make-vectors.ts'
import type { ReadingBatch } from '../batch.ts'
import type { Series } from '../reading.ts'
import { decodeBatch, encodeBatch } from './batch-codec.ts'
import { decodeDictionary, decodeDictionaryBatch } from './dictionary-batch.ts'

interface Vector {
  batch_id: string
  series: Series[]
  readings: [number, number, number | '-0'][]
}

const jsonOf = (file: string): Vector => JSON.parse(readFileSync(new URL(file, VECTORS), 'utf8'))

function expectSaid(got: ReadingBatch, said: Vector): void {
  expect(got.batchId).toBe(said.batch_id)
  expect(Array.from(got.seriesIndex, (index) => got.series[index])).toEqual(said.readings.map(([index]) => said.series[index]))
  expect([...got.timestamps]).toEqual(said.readings.map(([, timestamp]) => timestamp))
  expect([...got.values]).toEqual(said.readings.map(([, , value]) => (value === '-0' ? -0 : value)))
}

const named = (folder: string) =>
  readdirSync(new URL(folder, VECTORS))
    .filter((file) => file.endsWith('.bin'))
    .map((file) => [file.replace(/\.bin$/, ''), new Uint8Array(readFileSync(new URL(`${folder}${file}`, VECTORS)))] as const)

describe('every vector decodes to what stands beside it', () => {
  const vectors = named('./')
  it('of which there are several', () => expect(vectors.length).toBeGreaterThanOrEqual(9))

  it.each(vectors)('%s', (name, bytes) => {
    const got = decodeBatch(bytes, nodeInflate)
    expectSaid(got, jsonOf(`${name}.json`))
    expect(got.series).toEqual(jsonOf(`${name}.json`).series)
    // What this version writes today is read alike, though its compressed bytes may differ.
    expect(decodeBatch(encodeBatch(got, nodeDeflate), nodeInflate)).toEqual(got)
  })
})

describe('every vector under refused is refused with the code that it is named for', () => {
  it.each(named('refused/'))('%s', (name, bytes) => {
    expect(() => decodeBatch(bytes, nodeInflate)).toThrow(
      expect.objectContaining({ name: 'BatchError', code: name.split('-')[0] }),
    )
  })
})

describe('the vectors of version 2', () => {
  const vectors = new Map(named('dictionary/'))
  const { id, dictionary } = decodeDictionary(vectors.get('announced') as Uint8Array, nodeInflate, nodeSha256)

  it('begin with the announcement of their dictionary, whose name is computed', () => {
    const said = jsonOf('dictionary/announced.json') as unknown as { id: string; name: string; series: Series[] }
    expect({ id, name: dictionary.id, series: dictionary.series }).toEqual({ id: said.id, name: said.name, series: said.series })
  })

  it.each(['whole', 'some'])('%s decodes to what stands beside it', (name) => {
    expectSaid(decodeDictionaryBatch(vectors.get(name) as Uint8Array, dictionary), jsonOf(`dictionary/${name}.json`))
  })

  it.each(named('dictionary/refused/'))('%s is refused with the code that it is named for', (name, bytes) => {
    expect(() => decodeDictionaryBatch(bytes, dictionary)).toThrow(expect.objectContaining({ code: name.split('-')[0] }))
  })
})
