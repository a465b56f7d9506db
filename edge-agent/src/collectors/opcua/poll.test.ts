import type { DataValue, ReadValueId } from 'node-opcua'
import { expect, test } from 'vitest'
import { systemClock } from '../../support/clock.ts'
import { ColumnsBuilder } from '../columns-builder.ts'
import type { ServerConnection } from './connection.ts'
import type { Node } from './nodes.ts'
import { NodeReader } from './poll.ts'
import type { ValueConverter } from './values.ts'

const nodes = Array.from({ length: 10 }, (_, index): Node => ({ index, read: { index } as unknown as ReadValueId }))

/** A server that says it takes `said` nodes, and takes `taken`. Answers with the question. */
function readerOn(said: number, taken: number, status = 'BadTooManyOperations') {
  const asked: number[] = []
  const got: number[] = []
  const connection = {
    nodesPerRead: said,
    read: async (reads: { index: number }[]) => {
      asked.push(reads.length)
      if (reads.length > taken) throw new Error(`serviceResult = ${status} (0x80100000)`)
      return reads.map((read) => read as unknown as DataValue)
    },
  } as unknown as ServerConnection
  const values = {
    take: (index: number, answer: { index: number }) => void got.push(answer.index === index ? index : -1),
  } as unknown as ValueConverter
  return { reader: new NodeReader(connection, nodes, values, systemClock, 1_000), asked, got }
}

test('reads are split to what the server says', async () => {
  const { reader, asked, got } = readerOn(4, 4)
  await reader.readAll(0, new ColumnsBuilder([]))
  expect(asked).toEqual([4, 4, 2])
  expect(got).toEqual(nodes.map(({ index }) => index))
})

test.each(['BadTooManyOperations', 'BadResponseTooLarge', 'BadEncodingLimitsExceeded'])(
  'a server that answers %s is asked for less, from then on, and no node is read twice',
  async (status) => {
    const { reader, asked, got } = readerOn(1_000, 3, status)
    await reader.readAll(0, new ColumnsBuilder([]))
    expect(asked).toEqual([10, 5, 3, 3, 3, 1])
    await reader.readAll(0, new ColumnsBuilder([]))
    expect(asked.slice(6)).toEqual([3, 3, 3, 1])
    expect(got).toEqual([...nodes, ...nodes].map(({ index }) => index))
  },
)

test('other failures, and a server that takes not even one node, are told', async () => {
  await expect(readerOn(1_000, 3, 'BadTimeout').reader.readAll(0, new ColumnsBuilder([]))).rejects.toThrow('BadTimeout')
  await expect(readerOn(1_000, 0).reader.readAll(0, new ColumnsBuilder([]))).rejects.toThrow('BadTooManyOperations')
})
