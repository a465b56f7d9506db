import { type AgentCheckAnswer, UNITS, unitSymbol } from '@haltless/protocol'
import type { CollectorSource } from '../collectors/collector.ts'
import { contractOf, tagSettingsOf } from '../collectors/contracts.ts'
import { shellQuote } from '../support/shell-quote.ts'
import type { Finding } from './findings.ts'

/** Findings of one kind that are shown one by one. */
const MAX_SHOWN = 20

interface TagNames {
  machine: string
  unit: string
}

const tagsOf = (source: CollectorSource): TagNames[] =>
  tagSettingsOf(source).map(({ tag }) => ({ machine: tag.machine_identifier ?? source.machine, unit: tag.unit }))

/** The machines that the tags of these sources name, with the number of tags and the protocol of the first. */
export function machinesOf(sources: readonly CollectorSource[]): Map<string, { tags: number; protocol: string }> {
  const machines = new Map<string, { tags: number; protocol: string }>()
  for (const source of sources)
    for (const { machine } of tagsOf(source)) {
      const known = machines.get(machine)
      if (known) known.tags++
      else machines.set(machine, { tags: 1, protocol: contractOf(source.protocol).machineProtocol })
    }
  return machines
}

/** Machines that the hub does not store readings of, each with the call that mends it. */
export function machineFindings(
  hubUrl: string,
  machines: ReturnType<typeof machinesOf>,
  states: AgentCheckAnswer['machines'],
): Finding[] {
  const bad = states.filter(({ status }) => status !== 'active')
  if (bad.length === 0) {
    if (states.length === 0) return []
    const words = `the hub has ${states.length === 1 ? `the machine ${states[0]?.machine_identifier}` : `all ${states.length} machines`}`
    return [{ what: 'machines', result: 'ok', words, lines: [] }]
  }
  const findings = bad.slice(0, MAX_SHOWN).map(({ machine_identifier: id, machine_id, status }): Finding => {
    const { tags = 0, protocol = 'opc_ua' } = machines.get(id) ?? {}
    const rejects = `so it rejects every reading of ${tags === 1 ? 'its tag' : `its ${tags} tags`}`
    if (status === 'inactive')
      return {
        what: 'machine',
        result: 'FAIL',
        words: `${id} is deactivated in the hub, ${rejects}; reactivate it as an operator`,
        lines: [`curl -X PATCH ${hubUrl}/api/v1/machines/${machine_id} ${AUTHORIZED} -d '{"is_active":true}'`],
      }
    const body = JSON.stringify({ name: id, machine_identifier: id, protocol })
    return {
      what: 'machine',
      result: 'FAIL',
      words: `the hub has no machine ${id}, ${rejects}; correct machine_identifier, or create it as an operator`,
      lines: [`curl ${hubUrl}/api/v1/machines ${AUTHORIZED} -d ${shellQuote(body)}`],
    }
  })
  const rest = bad.length - MAX_SHOWN
  if (rest > 0) {
    const words = `${rest === 1 ? '1 more machine' : `${rest} more machines`} that the hub does not store readings of`
    findings.push({ what: 'machine', result: 'FAIL', words, lines: [] })
  }
  return findings
}

const AUTHORIZED = '-H "authorization: Bearer $token" -H \'content-type: application/json\''

const CONVERTIBLE: readonly string[] = Object.values(UNITS).flat()

/** Usual units that the hub shows as they are. Source: SI brochure, 9th edition, tables 2, 4 and 8 */
const USUAL: readonly string[] = (
  'A mA V mV kV W kW MW VA kVA var kvar Hz kHz Ohm F H N kN Nm kNm J kJ MJ Wh kWh MWh Pa hPa MPa mbar ' +
  'm mm cm um km m2 m3 l ml g kg t s ms min h d rad deg m/s m/min mm/min km/h m/s2 rpm 1/min 1/s m3/h m3/s l/h l/min l/s kg/h kg/s t/h ' +
  'pH ppm lx dB dBA mol g/l kg/m3 S/m uS/cm count/s pcs pcs/h'
).split(' ')

/** How units that convert are written elsewhere, in lower case. */
const ALIASES: Readonly<Record<string, string>> = {
  c: 'celsius',
  cel: 'celsius',
  degc: 'celsius',
  '°c': 'celsius',
  f: 'fahrenheit',
  degf: 'fahrenheit',
  '°f': 'fahrenheit',
  k: 'kelvin',
  'mm/sec': 'mm/s',
  ips: 'in/s',
  'in/sec': 'in/s',
}

/** The unit that a label stands for and that the hub converts, if it is another label. */
export const convertible = (unit: string): string | undefined => {
  const lower = unit.toLowerCase().trim()
  const found = ALIASES[lower] ?? CONVERTIBLE.find((one) => one === lower)
  return found === unit ? undefined : found
}

/**
 * Units that are unknown, or that the hub would convert under another label: a misspelt unit becomes a series of its own, and no rule
 * and no chart converts it.
 */
export function unitFindings(sources: readonly CollectorSource[]): Finding[] {
  const counts = new Map<string, number>()
  for (const source of sources) for (const { unit } of tagsOf(source)) counts.set(unit, (counts.get(unit) ?? 0) + 1)
  const isKnown = (unit: string) => CONVERTIBLE.includes(unit) || USUAL.includes(unit) || unitSymbol(unit) !== unit
  const unknown = [...counts].filter(([unit]) => convertible(unit) || !isKnown(unit))
  if (unknown.length === 0) return []
  const lines = unknown.slice(0, MAX_SHOWN).map(([unit, tags]) => {
    const better = convertible(unit)
    return `${unit} (${tags === 1 ? '1 tag' : `${tags} tags`})${better ? `: write ${better}` : ''}`
  })
  if (unknown.length > MAX_SHOWN) lines.push(`and ${unknown.length - MAX_SHOWN} more`)
  const words = 'the hub stores these units as they are and cannot convert them; check their spelling'
  return [{ what: 'units', result: 'note', words, lines }]
}
