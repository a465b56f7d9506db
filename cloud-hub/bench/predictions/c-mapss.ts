import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { medianOf } from '../../src/features/predictions/health/method/points.ts'
import { dayOf, type Limits, type ObservedMachine } from './observed-machine.ts'

/** Columns before the sensors: unit, cycle and three settings. */
const FIRST_SENSOR = 5
/** Cycles at the begin and the end of a life that the limits are learned from. */
const AT_ENDS = 5
/** The warning limit lies at this share of the way from the usual level to the critical limit. */
const WARNING_SHARE = 0.6
/** A sensor whose level changes by less than this many deviations over a life shows no wear. */
const MIN_CHANGE = 2

/**
 * Engines of NASA's C-MAPSS files (`train_FD00?.txt`): a row a cycle, with unit, cycle, three settings and 21 sensors; each unit
 * runs until it fails. A cycle counts as a day. The first half of the units teaches the limits, as an engineer would set them from
 * experience: the level of each sensor at the end of their lives. The other half is evaluated.
 * Source: Saxena, Goebel, Simon, Eklund, Damage propagation modeling for aircraft engine run-to-failure simulation, PHM 2008.
 */
export function readCmapss(folder: string): { file: string; machines: ObservedMachine[] }[] {
  const files = readdirSync(folder).filter((name) => /^train_FD\d+\.txt$/.test(name))
  if (files.length === 0) throw new Error(`There is no file train_FD001.txt, or with another number, in ${folder}.`)
  return files.sort().map((file) => ({ file, machines: machinesOf(readFileSync(path.join(folder, file), 'utf8'), file) }))
}

function machinesOf(text: string, file: string): ObservedMachine[] {
  const rows = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const wrong = rows.findIndex((row) => row.length <= FIRST_SENSOR || row.some((value) => !Number.isFinite(value)))
  if (wrong >= 0) throw new Error(`${file}: row ${wrong + 1} has no numbers of a unit, a cycle, three settings and sensors.`)
  const units = [...Map.groupBy(rows, ([unit]) => unit).values()]
  const [known, tested] = [units.slice(0, units.length >> 1), units.slice(units.length >> 1)]
  const sensors = Array.from({ length: (rows[0]?.length ?? FIRST_SENSOR) - FIRST_SENSOR }, (_, i) => i)
  const limits = sensors.map((sensor) => limitsOf(known.map((unit) => unit.map((row) => row[FIRST_SENSOR + sensor] as number))))
  return tested.map((unit) => ({
    kind: file,
    failsOnDay: unit.length,
    metrics: sensors.flatMap((sensor) => {
      const own = limits[sensor]
      const days = unit.map((row) => dayOf([row[FIRST_SENSOR + sensor] as number]))
      return own ? [{ name: `sensor ${sensor + 1}`, days, limits: own }] : []
    }),
  }))
}

/** @param lives the values of a sensor, of units that failed @returns null for a sensor that shows no wear */
function limitsOf(lives: readonly number[][]): Limits | null {
  const usual = medianOf(lives.map((values) => medianOf(values.slice(0, AT_ENDS))))
  const critical = medianOf(lives.map((values) => medianOf(values.slice(-AT_ENDS))))
  const begins = lives.flatMap((values) => values.slice(0, AT_ENDS))
  const spread = 1.4826 * medianOf(begins.map((value) => Math.abs(value - usual)))
  if (!(Math.abs(critical - usual) > MIN_CHANGE * spread)) return null
  return { warning: usual + WARNING_SHARE * (critical - usual), critical }
}
