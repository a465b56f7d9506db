import { type SeededRandom, seededRandom } from './random.ts'

const MACHINE_IDS = ['press-01', 'pump-01', 'compressor-01', 'oven-01', 'packaging-01'] as const
export type PlantMachineId = (typeof MACHINE_IDS)[number]

/** The plant's state as measured now, by machine and metric; units stand in `machines.ts`. */
export type PlantValues = Record<PlantMachineId, Record<string, number>>

export interface PlantPhysics {
  /** seconds since the start */
  readonly time: number
  readonly values: PlantValues
  /** moves the plant by one step */
  step(): void
}

/** seconds per step of a plant that somebody watches */
export const STEP_SECONDS = 0.1
const AMBIENT = 22

/** How a plant differs from the usual one. */
interface PhysicsOptions {
  /** seconds; at most 2, because a press takes 4 s for a stroke */
  step?: number
  /** seconds from a new bearing of the pump to the next one, at least 300 */
  bearingLife?: number
}

/** seconds: the bearing fails a few times a shift */
const BEARING_LIFE = 9_000

/** Five machines that know nothing of each other. The same seed and options give the same plant, to the last digit. */
export function createPlantPhysics(
  seed: number,
  { step = STEP_SECONDS, bearingLife = BEARING_LIFE }: PhysicsOptions = {},
): PlantPhysics {
  const machines = {
    'press-01': press(seededRandom(seed ^ 0x11), step),
    'pump-01': pump(seededRandom(seed ^ 0x22), step, bearingLife),
    'compressor-01': compressor(seededRandom(seed ^ 0x33), step),
    'oven-01': oven(seededRandom(seed ^ 0x44), step),
    'packaging-01': packaging(seededRandom(seed ^ 0x55), step),
  } satisfies Record<PlantMachineId, Machine>
  let steps = 0
  let values = {} as PlantValues
  const measure = () => {
    const measured = {} as PlantValues
    for (const id of MACHINE_IDS) measured[id] = machines[id](steps * step)
    values = measured
  }
  measure()
  return {
    get time() {
      return steps * step
    },
    get values() {
      return values
    },
    step() {
      steps++
      measure()
    },
  }
}

/** Moves one machine by a step to the time `t` (seconds) and measures it. */
type Machine = (t: number) => Record<string, number>

/** Follows a target with a time constant (seconds), as heat and inertia do. */
function lag(start: number, timeConstant: number, step: number): (target: number) => number {
  const share = 1 - Math.exp(-step / timeConstant)
  let value = start
  return (target) => {
    value += (target - value) * share
    return value
  }
}

/** Spans of seconds, from the shortest to the longest. */
type Span = [shortest: number, longest: number]
const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

/** On and off for random spans, beginning with on. @param first the first span on, so that who watches sees a change soon */
function dutyCycle(dice: SeededRandom, on: Span, off: Span, first = on): (t: number) => boolean {
  let isOn = true
  let until = dice.between(...first)
  return (t) => {
    if (t >= until) {
      isOn = !isOn
      until = t + dice.between(...(isOn ? on : off))
    }
    return isOn
  }
}

/** What goes wrong once in some days, for a while. */
function trouble(dice: SeededRandom, every: Span, lasting: Span): (t: number) => boolean {
  const isWell = dutyCycle(dice, every, lasting)
  return (t) => !isWell(t)
}

const flag = (on: boolean) => (on ? 1 : 0)

/** Hydraulic press: a stroke of about 4.3 s against an ideal of 4 s; oil warms with work, and more when the cooler is clogged; every 40th part or so is scrap; stops for tool changes. */
function press(dice: SeededRandom, step: number): Machine {
  const running = dutyCycle(dice, [20 * MINUTE, HOUR], [2 * MINUTE, 10 * MINUTE], [150, 300])
  const isCoolerClogged = trouble(dice, [1.5 * DAY, 4 * DAY], [HOUR, 3 * HOUR])
  const oil = lag(41, 90, step)
  let stroke = 0
  let cycle = 4.3
  let total = 0
  let good = 0
  return (t) => {
    const on = running(t)
    if (on) stroke += step / cycle
    if (stroke >= 1) {
      stroke -= 1
      cycle = 4.3 + dice.noise(0.15)
      total++
      if (dice.uniform() >= 0.025) good++
    }
    // fast approach, pressing, return
    const load = on && stroke > 0.35 && stroke < 0.7 ? Math.sin(((stroke - 0.35) / 0.35) * Math.PI) : 0
    return {
      hydraulic_pressure: Math.max(0, (on ? 118 : 4) + 92 * load + dice.noise(0.8)),
      press_force: Math.max(0, 1_250 * load + Math.abs(dice.noise(3))),
      oil_temperature: oil((on ? 52 : 34) + (isCoolerClogged(t) ? 11 : 0)) + dice.noise(0.08),
      vibration: Math.max(0.05, (on ? 1.3 + 1.1 * load : 0.15) + dice.noise(0.06)),
      running: flag(on),
      total_count: total,
      good_count: good,
      ideal_cycle_seconds: 4,
    }
  }
}

/** Seconds within one life of the pump's bearing; then a new life begins. A short life has a short failure. */
const bearingOf = (life: number) => ({
  healthy: 15,
  worn: 95,
  stopped: Math.min(270, life * 0.5),
  restarted: Math.min(990, life * 0.55),
  life,
})
type Bearing = ReturnType<typeof bearingOf>

/** How far the bearing has gone, 0 (new) to 1 (about to fail), at a time since the start. */
function bearingWear(t: number, { healthy, worn, stopped, life }: Bearing): number {
  const age = t % life
  if (age < healthy || age >= stopped) return 0
  return Math.min(1, (age - healthy) / (worn - healthy))
}

/**
 * Cooling water pump. Its bearing wears: vibration first, then heat. About 50 s after the start vibration leaves zone B, about 75 s after it
 * zone C; at 270 s the pump is stopped, gets a new bearing within 12 minutes, and goes on for two hours. Source of the zones: ISO 10816-3, 4.5 and 7.1 mm/s
 */
function pump(dice: SeededRandom, step: number, bearingLife: number): Machine {
  const its = bearingOf(bearingLife)
  const speed = lag(1_480, 2, step)
  const bearing = lag(47, 12, step)
  let drift = 0
  return (t) => {
    const age = t % its.life
    const on = age < its.stopped || age >= its.restarted
    const wear = bearingWear(t, its)
    const rpm = speed(on ? 1_480 - 12 * wear : 0)
    const share = rpm / 1_480
    // a slow wander of the demand, drawn back to the middle
    drift += dice.noise(0.02) - drift * 0.002
    return {
      discharge_pressure: Math.max(0, (6.2 - 0.5 * wear + 0.1 * drift) * share ** 2 + dice.noise(0.02)),
      flow_rate: Math.max(0, (84 - 5 * wear - drift) * share + dice.noise(0.3)),
      bearing_temperature: bearing(on ? 48 + 52 * wear : AMBIENT) + dice.noise(0.1),
      vibration: Math.max(0.03, (1.7 + 7.6 * wear ** 1.3) * share + dice.noise(0.08)),
      motor_current: Math.max(0, (31 + 4 * wear) * share + dice.noise(0.15)),
      speed: Math.max(0, rpm + dice.noise(1.5) * share),
      running: flag(on),
    }
  }
}

/** Screw compressor: loads at 7.0 bar, unloads at 8.2 bar, always running; consumers take what they need. Its cooler fails at times. */
function compressor(dice: SeededRandom, step: number): Machine {
  const isHot = trouble(dice, [2 * DAY, 5 * DAY], [HOUR, 4 * HOUR])
  let pressure = 7.4
  let loaded = true
  let demand = 0.5
  const outlet = lag(78, 40, step)
  const current = lag(95, 0.8, step)
  return (t) => {
    demand = Math.min(0.9, Math.max(0.2, demand + dice.noise(0.006)))
    pressure += step * 0.14 * ((loaded ? 1 : 0) - demand)
    if (pressure <= 7) loaded = true
    if (pressure >= 8.2) loaded = false
    return {
      outlet_pressure: pressure + dice.noise(0.01),
      discharge_temperature: outlet(isHot(t) ? 104 : loaded ? 88 : 72) + dice.noise(0.1),
      motor_current: current(loaded ? 112 : 43) + dice.noise(0.4),
      vibration: Math.max(0.1, (loaded ? 2.4 : 1.6) + dice.noise(0.07)),
      oil_pressure: 2.1 + 0.12 * (pressure - 7) + dice.noise(0.01),
      operating_seconds: Math.floor(t),
      loaded: flag(loaded),
      running: 1,
    }
  }
}

/** Tunnel oven at 180 °C in two zones under proportional control; the door lets heat out about once a minute; a heating element fails at times. */
function oven(dice: SeededRandom, step: number): Machine {
  const isElementBroken = trouble(dice, [2 * DAY, 6 * DAY], [25 * MINUTE, HOUR])
  const closed = dutyCycle(dice, [45, 75], [4, 8])
  const element = lag(38, 6, step)
  let [first, second] = [178, 179]
  return (t) => {
    const open = !closed(t)
    const power = element(Math.min(isElementBroken(t) ? 28 : 90, Math.max(0, 38 + 9 * (180 - (first + second) / 2))))
    const loss = open ? 0.35 : 0
    first += step * (0.012 * (power - 38) - 0.004 * (first - 180) - loss * 2)
    second += step * (0.012 * (power - 38) - 0.004 * (second - 180) - loss)
    return {
      zone_1_temperature: first + dice.noise(0.15),
      zone_2_temperature: second + dice.noise(0.15),
      temperature_setpoint: 180,
      heater_power: Math.max(0, power + dice.noise(0.4)),
      exhaust_temperature: 118 + 0.35 * (power - 38) + dice.noise(0.3),
      belt_speed: 1.2 + dice.noise(0.004),
      door_open: flag(open),
    }
  }
}

/** Flow wrapper: 40 packs a minute at most; short stops for jams and empty film; a colder seal makes more bad packs; a hose leaks at times. */
function packaging(dice: SeededRandom, step: number): Machine {
  const running = dutyCycle(dice, [10 * MINUTE, 40 * MINUTE], [20, 3 * MINUTE], [90, 150])
  const isLeaking = trouble(dice, [1.5 * DAY, 5 * DAY], [10 * MINUTE, 2 * HOUR])
  const pace = lag(38, 3, step)
  const jaw = lag(146, 20, step)
  let made = 0
  let total = 0
  let good = 0
  return (t) => {
    const on = running(t)
    const speed = pace(on ? 38 : 0)
    const seal = jaw(on ? 148 : 139)
    made += (speed / 60) * step
    while (made >= 1) {
      made -= 1
      total++
      if (dice.uniform() >= (seal < 144 ? 0.12 : 0.015)) good++
    }
    return {
      line_speed: Math.max(0, speed + (on ? dice.noise(0.3) : 0)),
      seal_temperature: seal + dice.noise(0.2),
      air_pressure: 6 - (on ? 0.15 : 0) - (isLeaking(t) ? 0.55 : 0) + dice.noise(0.02),
      film_tension: Math.max(0, (on ? 42 : 30) + dice.noise(0.5)),
      running: flag(on),
      total_count: total,
      good_count: good,
      ideal_cycle_seconds: 1.5,
    }
  }
}
