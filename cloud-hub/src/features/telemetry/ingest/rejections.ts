import type { Rejection } from '@haltless/protocol'
import type { LoadedContext } from '../series/index.ts'
import type { IngestRequest } from './request.ts'

/** Rejects the readings of a request whose machine is unknown or whose series the tenant may not have, by the caller's indexes. */
export function rejectUnstored(
  { submission }: IngestRequest,
  slots: readonly number[],
  { series: contexts, refused }: LoadedContext,
): Rejection[] {
  const rejections: Rejection[] = []
  if (slots.every((slot) => contexts[slot])) return rejections
  const { series, seriesIndex } = submission.columns
  seriesIndex.forEach((s, i) => {
    const slot = slots[s] as number
    if (contexts[slot]) return
    const machine = series[s]?.machine ?? null
    const limit = refused?.get(slot)
    rejections.push({
      index: submission.index[i] as number,
      machine_identifier: machine,
      ...(limit === undefined ? unknownMachine(machine) : seriesLimit(limit)),
    })
  })
  return rejections
}

const unknownMachine = (machine: string | null) => ({
  code: 'unknown_machine',
  error: `there is no active machine with the identifier ${machine}: create it under /machines, or correct the identifier`,
})

const seriesLimit = (limit: number) => ({
  code: 'series_limit',
  error: `the tenant may have ${limit} series, and has no place left for a new metric or unit of a machine: ask the operator of the hub for more`,
})
