import type { Schemas } from '../../api/client.ts'
import type { Range } from '../readings/series.ts'

/** Whether what a note is about touches a range. */
export const isWithin = ({ starts_at, ends_at }: Pick<Schemas['Note'], 'starts_at' | 'ends_at'>, { from, to }: Range): boolean =>
  Date.parse(ends_at ?? starts_at) >= from && Date.parse(starts_at) <= to
