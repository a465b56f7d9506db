/** Dates and times as a clock on the wall shows them, such as `2026-11-23T08:00`, which is what date inputs of a browser hold. */

const DAY_MS = 86_400_000
const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known) return known
  const two = '2-digit' as const
  const options = { year: 'numeric', month: two, day: two, hour: two, minute: two } as const
  // Swedish writes dates as ISO 8601 does
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, ...options })
  clocks.set(timeZone, clock)
  return clock
}

export const wallTime = (at: Date | string | number, timeZone: string): string =>
  clockOf(timeZone).format(new Date(at)).replace(' ', 'T')

/** With seconds: offsets of time zones are whole minutes. */
export const wallSeconds = (at: Date | string | number, timeZone: string): string =>
  `${wallTime(at, timeZone)}:${new Date(at).toISOString().slice(17, 19)}`

/** As `wallSeconds`, with milliseconds. */
export const wallMilliseconds = (at: Date | string | number, timeZone: string): string =>
  `${wallTime(at, timeZone)}:${new Date(at).toISOString().slice(17, 23)}`

/** The instant of a wall time. One that daylight saving skips or repeats becomes a valid instant beside it. */
export function instantOf(wall: string, timeZone: string): Date {
  const asUtc = Date.parse(`${wall}Z`)
  const offsetAt = (at: number) => Date.parse(`${wallTime(at, timeZone)}Z`) - Math.floor(at / 60_000) * 60_000
  const near = asUtc - offsetAt(asUtc)
  return new Date(asUtc - offsetAt(near))
}

/** The day in a time zone, such as `2026-11-23`. */
export const dayOf = (at: Date | string | number, timeZone: string): string => wallTime(at, timeZone).slice(0, 10)

/** The first instant of a day in a time zone, as the hub takes it. */
export const dayStart = (day: string, timeZone: string): string => instantOf(`${day}T00:00`, timeZone).toISOString()

/** The last millisecond of a day in a time zone, as the hub takes it. */
export const dayEnd = (day: string, timeZone: string): string =>
  new Date(instantOf(`${addDays(day, 1)}T00:00`, timeZone).getTime() - 1).toISOString()

export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10)

/** The first day of the week of a day. Source: ISO 8601, weeks begin on Monday */
export const mondayOf = (day: string): string => addDays(day, -((new Date(day).getUTCDay() + 6) % 7))

/** The first day of the month that lies so many months after that of a day. */
export function firstOfMonth(day: string, months = 0): string {
  const [year, month] = day.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10)
}
