import { dayOf, type Limits, type ObservedMachine } from './observed-machine.ts'

/** The number of machines by kind. */
const KINDS = {
  'bearing wear': 35,
  'filter clogging': 30,
  'tool wear': 30,
  healthy: 40,
  'sensor fault': 25,
  'operating point': 25,
} as const
type Kind = keyof typeof KINDS

const DAYS = 180
const HOURS = 24

/** Random numbers that a seed determines. Source of the generator: mulberry32, Tommy Ettinger, public domain. */
class Random {
  #state: number
  constructor(seed: number) {
    this.#state = seed
  }

  /** evenly distributed */
  between(low: number, high: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return low + (((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * (high - low)
  }

  /** normally distributed (Box-Muller) */
  normal(sigma: number): number {
    return sigma * Math.sqrt(-2 * Math.log(1 - this.between(0, 1))) * Math.cos(2 * Math.PI * this.between(0, 1))
  }

  chance(probability: number): boolean {
    return this.between(0, 1) < probability
  }
}

/**
 * Machines of every kind. Each differs in level, noise, life and in the level at which it fails; all have a daily cycle, noise
 * with memory, single outliers and missing hours, and one in three idles at weekends.
 */
export function simulateMachines(seed: number): ObservedMachine[] {
  const random = new Random(seed)
  return Object.entries(KINDS).flatMap(([kind, count]) =>
    Array.from({ length: count }, () => simulateMachine(kind as Kind, random)),
  )
}

/** What a kind measures: level, noise and amplitude of the daily cycle of the metric that shows its wear, and its limits. */
const MEASURES = {
  vibration: { level: 2.2, noise: 0.25, cycle: 0.1, limits: { warning: 4.5, critical: 7.1 } },
  differential_pressure: { level: 0.35, noise: 0.04, cycle: 0.03, limits: { warning: 0.9, critical: 1.2 } },
  spindle_power: { level: 5.5, noise: 0.45, cycle: 0.2, limits: { warning: 8, critical: 9.5 } },
  temperature: { level: 55, noise: 1.2, cycle: 3, limits: { warning: 75, critical: 85 } },
} as const
type Measure = keyof typeof MEASURES

/** The metric that shows the wear. */
const WORN_BY: Partial<Record<Kind, Measure>> = {
  'bearing wear': 'vibration',
  'filter clogging': 'differential_pressure',
  'tool wear': 'spindle_power',
}

function simulateMachine(kind: Kind, random: Random): ObservedMachine {
  const idles = random.chance(1 / 3)
  const names = Object.keys(MEASURES).filter((name) => name !== 'temperature') as Measure[]
  const name = WORN_BY[kind] ?? (names[Math.floor(random.between(0, names.length))] as Measure)
  const { damage, failsOnDay } = damageOf(kind, random)
  const days = failsOnDay ?? DAYS
  const { limits } = MEASURES[name]
  const main = noisy(name, days, idles, random)
  // units differ: one fails below the critical limit, another above it
  const failureLevel = limits.critical * random.between(0.88, 1.15)
  const own = main.base
  for (let hour = 0; hour < main.hours.length; hour++)
    main.hours[hour] = (main.hours[hour] as number) + damage(hour / HOURS) * (failureLevel - own)
  if (kind === 'sensor fault') breakSensor(main.hours, limits, random)
  if (kind === 'operating point') changeOperatingPoint(main.hours, own, random)
  const heat = noisy('temperature', days, idles, random)
  const rise = random.between(6, 10)
  for (let hour = 0; hour < heat.hours.length; hour++)
    heat.hours[hour] = (heat.hours[hour] as number) + damage(hour / HOURS) * rise
  return {
    kind,
    failsOnDay,
    metrics: [
      { name, days: daysOf(main.hours), limits },
      { name: 'temperature', days: daysOf(heat.hours), limits: MEASURES.temperature.limits },
    ],
  }
}

const daysOf = (hours: readonly number[]) =>
  Array.from({ length: hours.length / HOURS }, (_, day) => dayOf(hours.slice(day * HOURS, (day + 1) * HOURS)))

/** The damage by day: 0 without, 1 at the failure. */
function damageOf(kind: Kind, random: Random): { damage: (day: number) => number; failsOnDay: number | null } {
  const onset = random.between(20, 90)
  if (kind === 'bearing wear') {
    // a crack grows in proportion to its length: exponential
    const life = random.between(25, 80)
    const steepness = random.between(2.5, 4.5)
    const grown = (u: number) => Math.expm1(steepness * u) / Math.expm1(steepness)
    return { failsOnDay: Math.floor(onset + life), damage: (day) => (day < onset ? 0 : grown((day - onset) / life)) }
  }
  if (kind === 'filter clogging') {
    const life = random.between(40, 120)
    const power = random.between(1, 2.5)
    return { failsOnDay: Math.floor(onset + life), damage: (day) => (day < onset ? 0 : ((day - onset) / life) ** power) }
  }
  if (kind === 'tool wear') {
    // three phases: running in, steady wear, the end (Taylor)
    const life = random.between(35, 100)
    const wear = (u: number) => 0.15 * -Math.expm1(-u / 0.04) + 0.6 * u + 0.25 * u ** 6
    return { failsOnDay: Math.floor(life), damage: (day) => wear(day / life) / wear(1) }
  }
  return { failsOnDay: null, damage: () => 0 }
}

/** A metric of a machine without damage. */
function noisy(name: Measure, days: number, idles: boolean, random: Random): { hours: number[]; base: number } {
  const { level, noise, cycle } = MEASURES[name]
  const base = level * random.between(0.85, 1.15)
  const sigma = noise * random.between(0.6, 1.6)
  const phase = random.between(0, 2 * Math.PI)
  let memory = 0
  const hours = Array.from({ length: days * HOURS }, (_, hour) => {
    memory = 0.8 * memory + random.normal(0.6 * sigma)
    const isIdle = idles && Math.floor(hour / HOURS) % 7 >= 5
    const value = (isIdle ? 0.6 : 1) * base + cycle * Math.sin((2 * Math.PI * hour) / HOURS + phase) + memory
    if (random.chance(0.01)) return Number.NaN
    return random.chance(0.001) ? value + random.normal(6 * sigma) : value
  })
  return { hours, base }
}

/** A sensor sticks, loosens (a jump), delivers spikes, loses calibration slowly, or drops to 0 for hours. */
function breakSensor(hours: number[], limits: Limits, random: Random): void {
  const begin = Math.floor(random.between(30, 120) * HOURS)
  const fault = Math.floor(random.between(0, 5))
  const stuck = hours[begin] as number
  const jump = (limits.warning - stuck) * random.between(-0.5, 1.3)
  const drift = (limits.warning - stuck) * random.between(0.002, 0.006)
  for (let i = begin; i < hours.length; i++) {
    const value = hours[i] as number
    if (fault === 0) hours[i] = stuck
    else if (fault === 1) hours[i] = value + jump
    else if (fault === 2 && random.chance(0.03)) hours[i] = value + random.between(1, 3) * limits.critical
    else if (fault === 3) hours[i] = value + (drift * (i - begin)) / HOURS
    else if (fault === 4 && i % 97 < 9) hours[i] = 0
  }
}

/** Another product or speed every few weeks: the level jumps, now and then beyond the warning limit. */
function changeOperatingPoint(hours: number[], base: number, random: Random): void {
  let factor = 1
  let until = random.between(15, 40) * HOURS
  for (let i = 0; i < hours.length; i++) {
    if (i > until) {
      factor = random.between(0.7, 1.9)
      until = i + random.between(15, 45) * HOURS
    }
    hours[i] = (hours[i] as number) + (factor - 1) * base
  }
}
