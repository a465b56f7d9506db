import { expect, it } from 'vitest'
import { ByteReader, ByteWriter } from './bytes.ts'
import { readSeries, writeSeries } from './series-table.ts'

it('short names come back wherever the written bytes outgrow their array', () => {
  const series = [{ machine: 'm', metric: 'v', unit: '%', rawTag: null }]
  for (let before = 4_000; before < 4_100; before++) {
    const out = new ByteWriter()
    out.append(new Uint8Array(before))
    writeSeries(out, series)
    const from = new ByteReader(out.written())
    from.take(before)
    expect(readSeries(from, 1)).toEqual(series)
  }
})
