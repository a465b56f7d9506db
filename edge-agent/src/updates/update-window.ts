import { z } from 'zod'

/** When a plant lets updates be installed, in the local time of the computer: `22:00-05:00`. The end is no part of it. */
export const UpdateWindow = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/, 'must be two times such as 22:00-05:00')
  .refine((text) => text.slice(0, 5) !== text.slice(6), 'must not begin when it ends: leave it out for any time')

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** @param window undefined: any time. @param now Unix ms */
export function isOpen(window: string | undefined, now: number): boolean {
  if (window === undefined) return true
  const [from, to] = [minutesOf(window.slice(0, 5)), minutesOf(window.slice(6))]
  const local = new Date(now)
  const minute = local.getHours() * 60 + local.getMinutes()
  return from < to ? minute >= from && minute < to : minute >= from || minute < to
}
