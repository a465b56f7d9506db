import { compoundOf, type Dictionary, spellPercent, wordsOf } from './tokens.ts'
import { isPossible, isUnscaled, rangeOf, unitByRange } from './value-range.ts'
import { FILLERS, type Qualifier, type Quantity, UNITS, USUAL_UNIT, VOCABULARY } from './vocabulary.ts'

export interface Suggestion {
  /** a standard metric name, or the words of the tag where the vocabulary matches none */
  name: string
  /** '' where none was recognised */
  unit: string
  /** 0 to 1: how often a suggestion of this kind is right; see docs/tag-mapping.md */
  confidence: number
}

/** Symbols of DIN 1304 that stand alone at the beginning: `I_Motor`, `p_Luft`, `U_L1`. Case matters: `t` is a time, `T` a temperature. */
const SYMBOLS: Record<string, Quantity> = {
  I: 'current',
  U: 'voltage',
  P: 'power',
  E: 'energy',
  p: 'pressure',
  n: 'speed',
  T: 'temperature',
}
/** Well-known parameter codes of drives. */
const CODES: Record<string, Quantity> = { rfr: 'frequency', lcr: 'current', otr: 'torque' }

interface Found {
  quantity: Quantity | null
  /** of the word that gave the quantity */
  weight: number
  qualifiers: Set<Qualifier>
  isSetpoint: boolean
  unit: string | null
  unitQuantities: readonly Quantity[]
  words: string[]
}

/**
 * Suggests a standard metric and unit for a vendor's tag. It splits the tag and its compounds into words and looks them up in a
 * vocabulary of quantities, qualifiers and roles. A unit at the end confirms or implies the quantity. `context` (a description, a
 * unit, a range) is parsed the same way with less weight. A range implies the unit where no word names one, and contradicts a
 * unit that cannot have such values.
 */
export function suggest(rawTag: string, context = ''): Suggestion {
  const found = read(rawTag)
  const described = context ? read(context) : null
  const fromContext = !found.quantity && described?.quantity
  const quantity = found.quantity ?? described?.quantity ?? null
  const range = rangeOf(context)
  if (quantity && range && isUnscaled(range, context)) return unscaled(found, described, quantity)
  const named = found.unit ?? described?.unit ?? null
  const unit = named ?? (quantity && range && unitByRange(quantity, range))
  if (!quantity) return { name: slug(found.words), unit: unit ?? '', confidence: unit ? 0.15 : 0.05 }
  const qualifiers = new Set([...found.qualifiers, ...(described?.qualifiers ?? [])])
  const name = nameOf(quantity, qualifiers, found.isSetpoint, unit)
  const base = fromContext ? (described as Found).weight * 0.75 : found.weight
  const given = unit ?? usualUnit(name, quantity, qualifiers)
  const agrees = named !== null && (UNIT_OF.get(named) ?? []).includes(quantity)
  const disagrees = (named !== null && !agrees && UNIT_OF.has(named)) || (range !== null && !isPossible(range, given))
  const confidence = Math.min(0.98, Math.max(0.1, base * 0.9 + (agrees ? 0.08 : 0) - (disagrees ? 0.35 : 0)))
  return { name, unit: given, confidence: Math.round(confidence * 100) / 100 }
}

/** The suggestion for a raw converter count. It has a name and no unit: a mapping without unit keeps that of the reading. */
function unscaled(found: Found, described: Found | null, quantity: Quantity): Suggestion {
  const qualifiers = new Set([...found.qualifiers, ...(described?.qualifiers ?? [])])
  return { name: nameOf(quantity, qualifiers, found.isSetpoint, null), unit: '', confidence: 0.4 }
}

const UNIT_OF = new Map<string, readonly Quantity[]>([...UNITS.values()].map(({ unit, quantities }) => [unit, quantities]))
const KNOWN: Dictionary = {
  has: (word) => VOCABULARY.has(word) || FILLERS.has(word),
  maxLength: Math.max(...[...VOCABULARY.keys(), ...FILLERS].map(({ length }) => length)),
}

function read(text: string): Found {
  const words = wordsOf(text).flatMap((word) => (VOCABULARY.has(word) ? [word] : (compoundOf(word, KNOWN) ?? [word])))
  const found: Found = {
    quantity: null,
    weight: 0,
    qualifiers: new Set(),
    isSetpoint: false,
    ...unitOf(text),
    words,
  }
  readPhrases(words, found)
  for (const word of words) {
    const meaning = VOCABULARY.get(word)
    if (!meaning) continue
    if (meaning.qualifier) found.qualifiers.add(meaning.qualifier)
    if (meaning.role === 'setpoint') found.isSetpoint = true
    // of two quantities the later one wins unless its weight is lower: MotorCurrentTemp is a temperature
    if (meaning.quantity && meaning.weight >= found.weight)
      Object.assign(found, { quantity: meaning.quantity, weight: meaning.weight })
  }
  if (!found.quantity) readSymbols(text, words, found)
  return found
}

/** Matches pairs of words with a meaning of their own. */
function readPhrases(words: readonly string[], found: Found): void {
  const has = (...any: string[]) => any.some((word) => words.includes(word))
  const say = (quantity: Quantity, weight: number) => Object.assign(found, { quantity, weight })
  const isCount = has('count', 'cnt', 'counter', 'zaehler', 'parts', 'part', 'stueck')
  const isCycleTime = (has('cycle', 'takt', 'zyklus') && has('time', 'zeit')) || has('cycletime', 'taktzeit', 'zykluszeit')
  const isIdeal = has('ideal', 'nominal', 'standard', 'planned', 'soll', 'sollwert', 'setpoint', 'sp', 'vorgabe', 'plan')
  if ((isCycleTime && isIdeal) || (has('ideal') && has('cycle'))) say('ideal_cycle_seconds', 1.02)
  else if (isCycleTime) say('cycle_time', 1.01)
  else if (has('power') && has('factor')) say('power_factor', 1.01)
  else if (has('cos') && has('phi')) say('power_factor', 1.01)
  else if ((has('operating', 'run', 'betriebs') && has('hours', 'stunden', 'time')) || has('runhours'))
    say('operating_hours', 1.01)
  else if (isCount && has('good', 'ok', 'io', 'gut')) say('good_count', 1)
  else if (isCount && has('bad', 'ng', 'reject', 'nio', 'scrap', 'schlecht')) say('reject_count', 1)
  else if (isCount && !has('prog')) say('total_count', 0.9)
  else if (has('machine', 'maschine', 'auto') && has('run', 'running', 'laeuft')) say('running', 1)
  else if (has('delta') && has('p')) say('pressure', 1)
  else if (has('partcount')) say('total_count', 1)
}

function readSymbols(text: string, words: readonly string[], found: Found): void {
  for (const word of words) {
    const quantity = CODES[word]
    if (quantity) return void Object.assign(found, { quantity, weight: 0.7 })
  }
  const symbol = /(?:^|[._])([IUPEpnT])_/.exec(text)?.[1]
  const quantity = symbol === undefined ? undefined : SYMBOLS[symbol]
  if (quantity) return void Object.assign(found, { quantity, weight: 0.7 })
  // a unit of only one quantity implies that quantity
  if (found.unit && found.unitQuantities.length >= 1)
    Object.assign(found, { quantity: found.unitQuantities[0], weight: found.unit.length > 1 ? 0.8 : 0.4 })
}

/** No unit is longer, with the letter before it. */
const MAX_UNIT = 40

/** The unit at the end of a tag: `_kW`, `RPM`, `_m3h`, `degC`. */
function unitOf(text: string): { unit: string | null; unitQuantities: readonly Quantity[] } {
  const plain = spellPercent(text).replaceAll('°', 'deg').replaceAll('³', '3').replaceAll('µ', 'u')
  const parts = plain.split(/[^A-Za-z\d]+/).filter(Boolean)
  const last = parts.at(-1) ?? ''
  const candidates = [
    `${parts.at(-2) ?? ''}${last}`.toLowerCase(),
    last.toLowerCase(),
    (/[a-z\d]([A-Z][A-Za-z]*)$/.exec(last.slice(-MAX_UNIT))?.[1] ?? '').toLowerCase(),
    ...parts.map((part) => (part.length > 2 ? part.toLowerCase() : '')),
  ]
  for (const candidate of candidates) {
    const unit = UNITS.get(candidate)
    // a single letter counts as a unit only as a separate last part
    if (unit && (candidate.length > 1 || (parts.length > 1 && last.length === 1)))
      return { unit: unit.unit, unitQuantities: unit.quantities }
  }
  const glued = /(rpm|degc|kwh|psi)$/i.exec(last)?.[1]?.toLowerCase()
  const unit = glued ? UNITS.get(glued) : undefined
  return unit ? { unit: unit.unit, unitQuantities: unit.quantities } : { unit: null, unitQuantities: [] }
}

function nameOf(quantity: Quantity, of: ReadonlySet<Qualifier>, isSetpoint: boolean, unit: string | null): string {
  switch (quantity) {
    case 'temperature':
      if (isSetpoint) return 'temperature_setpoint'
      if (of.has('oil')) return 'oil_temperature'
      if (of.has('bearing')) return 'bearing_temperature'
      if (of.has('coolant')) return 'coolant_temperature'
      if (of.has('ambient')) return 'ambient_temperature'
      return of.has('motor') ? 'motor_temperature' : 'temperature'
    case 'pressure':
      if (of.has('differential')) return 'differential_pressure'
      if (unit === 'inHg' || (unit === 'mbar' && !of.has('air'))) return 'vacuum'
      if (of.has('oil')) return 'oil_pressure'
      if (of.has('hydraulic')) return 'hydraulic_pressure'
      return of.has('air') ? 'air_pressure' : 'pressure'
    case 'speed':
      if (isSetpoint) return 'speed_setpoint'
      if (of.has('fan')) return 'fan_speed'
      return of.has('belt') || unit === 'ft/min' ? 'velocity' : 'speed'
    case 'position':
      if (of.has('valve')) return 'valve_position'
      return unit === 'deg' ? 'angle' : 'position'
    case 'current':
      return of.has('motor') ? 'motor_current' : 'current'
    default:
      return quantity
  }
}

function usualUnit(name: string, quantity: Quantity, of: ReadonlySet<Qualifier>): string {
  if (name === 'valve_position') return '%'
  if (name === 'velocity') return of.has('belt') ? 'm/s' : 'mm/s'
  return USUAL_UNIT[quantity] ?? ''
}

/** A metric name made of the words of a tag. */
const slug = (words: readonly string[]): string => words.join('_').slice(0, 255) || 'unknown'
