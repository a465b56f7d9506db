import { deflateRawSync } from 'node:zlib'
import { encodeBatch, type Reading, toColumns } from '@haltless/protocol'

/** A batch as it crosses MQTT. */
export const batchOf = (readings: readonly Reading[], batchId: string): Buffer =>
  Buffer.from(encodeBatch({ batchId, ...toColumns(readings) }, deflateRawSync))
