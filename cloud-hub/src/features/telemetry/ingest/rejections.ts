import type { Rejection } from '@haltless/protocol'
import type { LoadedContext } from '../series/index.ts'
import type { IngestRequest } from './request.ts'

/** Rejects the readings of a request whose machine is unknown, by the caller's indexes. */
export function rejectUnknownMachines(
  { submission }: IngestRequest,
  slots: readonly number[],
  { series: contexts }: LoadedContext,
): Rejection[] {
  const rejections: Rejection[] = []
  if (slots.every((slot) => contexts[slot])) return rejections
  const { series, seriesIndex } = submission.columns
  seriesIndex.forEach((s, i) => {
    if (contexts[slots[s] as number]) return
    const machine = series[s]?.machine ?? null
    rejections.push({
      index: submission.index[i] as number,
      machine_identifier: machine,
      code: 'unknown_machine',
      error: `there is no active machine with the identifier ${machine}: create it under /machines, or correct the identifier`,
    })
  })
  return rejections
}
