import { type FieldError, fieldError, Unprocessable } from '../errors.ts'

const MAX_RANGE_MS = 90 * 86_400_000

/**
 * The range of a query. Both omitted: the time of the default length before now; only `start`: until now; only `end`: the default
 * length before it.
 * @throws Unprocessable for an end that is not after its start, or for more than 90 days
 */
export function resolveRange(
  now: Date,
  query: { start?: Date | undefined; end?: Date | undefined },
  defaultMs: number,
): { start: Date; end: Date } {
  const end = query.end ?? now
  const start = query.start ?? new Date(end.getTime() - defaultMs)
  const fault: FieldError | null =
    end <= start
      ? query.end
        ? fieldError('query.end', 'not_after', { other: 'start' })
        : fieldError('query.start', 'not_in_past', {}, 'must be in the past unless end is given')
      : end.getTime() - start.getTime() > MAX_RANGE_MS
        ? fieldError('query.start', 'max_range_days', { days: 90 }, 'the range may cover at most 90 days')
        : null
  if (fault) throw new Unprocessable([fault])
  return { start, end }
}
