/** The time, handed in so that a test can pass its own. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
