import { expect, test } from 'vitest'
import { BusUse } from './bus-use.ts'

/** A bus whose units 1, 2, ... are polled once a second. */
function busOf(units: number): BusUse {
  const bus = new BusUse()
  for (let unit = 1; unit <= units; unit++) bus.join(unit, 1_000)
  return bus
}

/** One request alone on the bus, while others wait. */
function request(bus: BusUse, unit: number, from: number, to: number, answered = true): void {
  bus.end(bus.begin(unit, from), answered, true, to)
}

test('a unit that keeps its neighbours waiting pauses four times as long from the second time on, and not once it is fast again', () => {
  const bus = busOf(2)
  request(bus, 2, 0, 600)
  expect(bus.pauseMs(2, 600)).toBe(0)
  request(bus, 2, 1_000, 1_600)
  expect(bus.pauseMs(2, 1_600)).toBe(2_400)
  expect(bus.pauseMs(1, 1_600)).toBeLessThanOrEqual(0)
  request(bus, 2, 4_000, 4_500)
  expect(bus.pauseMs(2, 4_500)).toBe(0)
})

test('a silent unit pauses nine times as long, longer beside other silent units, and a minute at most', () => {
  const bus = busOf(3)
  const silent = (unit: number, from: number, to: number) => {
    request(bus, 1, from - 10, from)
    request(bus, unit, from, to, false)
  }
  for (const from of [1_000, 3_000]) silent(2, from, from + 1_000)
  expect(bus.pauseMs(2, 4_000)).toBe(9_000)
  for (const from of [5_000, 7_000]) silent(3, from, from + 1_000)
  expect(bus.pauseMs(3, 8_000)).toBe(18_000)
  silent(3, 30_000, 50_000)
  expect(bus.pauseMs(3, 50_000)).toBe(60_000)
})

test('no unit pauses while the whole bus is silent', () => {
  const bus = busOf(2)
  request(bus, 1, 0, 10)
  for (const from of [100, 3_000, 6_000]) {
    for (const unit of [1, 2]) request(bus, unit, from + 1_000 * unit, from + 1_000 * unit + 1_000, false)
  }
  expect(bus.pauseMs(1, 9_000)).toBeLessThanOrEqual(0)
  expect(bus.pauseMs(2, 9_000)).toBeLessThanOrEqual(0)
})

test('a slow unit without neighbours, or that no request waits for, does not pause', () => {
  const alone = busOf(1)
  for (const from of [0, 1_000]) request(alone, 1, from, from + 900)
  expect(alone.pauseMs(1, 1_900)).toBe(0)
  const idle = busOf(2)
  for (const from of [0, 1_000]) idle.end(idle.begin(2, from), true, false, from + 900)
  expect(idle.pauseMs(2, 1_900)).toBe(0)
})

test('a slow unit does not pause where the gateway answers its neighbours meanwhile', () => {
  const bus = busOf(2)
  for (const from of [0, 1_000]) {
    const slow = bus.begin(2, from)
    bus.end(bus.begin(1, from + 50), true, true, from + 70)
    bus.end(slow, true, true, from + 900)
  }
  expect(bus.pauseMs(2, 1_900)).toBe(0)
  expect(bus.isLaggard(2)).toBe(true)
  expect(bus.patienceMs(2)).toBe(0)
})

test('neighbours that a gateway answers only after the silent unit are not blamed for its time', () => {
  const bus = busOf(3)
  for (const from of [0, 2_000]) {
    const silent = bus.begin(2, from)
    const [one, three] = [bus.begin(1, from + 50), bus.begin(3, from + 60)]
    bus.end(one, true, true, from + 800)
    bus.end(silent, false, true, from + 1_000)
    bus.end(three, true, false, from + 1_010)
  }
  expect(bus.pauseMs(1, 3_010)).toBeLessThanOrEqual(0)
  expect(bus.pauseMs(3, 3_010)).toBeLessThanOrEqual(0)
  expect(bus.pauseMs(2, 3_000)).toBe(9_000)
  expect(bus.isLaggard(1) || bus.isLaggard(3)).toBe(false)
})
