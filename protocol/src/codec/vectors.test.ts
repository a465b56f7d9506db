import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { nodeDeflate, nodeInflate } from '../../test/generator.ts'
import { VECTORS } from '../../test/make-vectors.ts'
import type { Series } from '../reading.ts'
import { decodeBatch, encodeBatch } from './batch-codec.ts'

interface Vector {
  batch_id: string
  series: Series[]
  readings: [number, number, number | '-0'][]
}

const named = (folder: string) =>
  readdirSync(new URL(folder, VECTORS))
    .filter((file) => file.endsWith('.bin'))
    .map((file) => [file.replace(/\.bin$/, ''), new Uint8Array(readFileSync(new URL(`${folder}${file}`, VECTORS)))] as const)

describe('every vector decodes to what stands beside it', () => {
  const vectors = named('./')
  it('of which there are several', () => expect(vectors.length).toBeGreaterThanOrEqual(9))

  it.each(vectors)('%s', (name, bytes) => {
    const said: Vector = JSON.parse(readFileSync(new URL(`${name}.json`, VECTORS), 'utf8'))
    const got = decodeBatch(bytes, nodeInflate)
    expect(got.batchId).toBe(said.batch_id)
    expect(got.series).toEqual(said.series)
    expect([...got.seriesIndex]).toEqual(said.readings.map(([series]) => series))
    expect([...got.timestamps]).toEqual(said.readings.map(([, timestamp]) => timestamp))
    expect([...got.values]).toEqual(said.readings.map(([, , value]) => (value === '-0' ? -0 : value)))
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
