import type { Series, ValueRules } from '@haltless/protocol'
import { fault } from '@haltless/protocol/faults'
import type { NumberFormat } from './contract.ts'
import { NoNumber, numberIn, shownText } from './values-in-text.ts'

/** One configured value: the series it becomes, and how. */
export interface Tag extends Series {
  /** never null here: an OPC UA node id, or `holding:100` */
  readonly rawTag: string
  /** value = raw * scale + offset */
  readonly scale: number
  readonly offset: number
  /** raw values that a device sends when it has none; null: none */
  readonly invalid: ReadonlySet<number> | null
  /** limits of the value after scaling; those of a finite number where none are set */
  readonly min: number
  readonly max: number
  /** the value of each text; null: a text must hold a number */
  readonly values: ReadonlyMap<string, number> | null
}

interface TagConfig extends ValueRules {
  metric_name: string
  unit: string
  machine_identifier?: string | undefined
  scale: number
  offset: number
}

export function tagOf(config: TagConfig, rawTag: string, defaultMachine: string): Tag {
  const { invalid, values } = config
  return {
    machine: config.machine_identifier ?? defaultMachine,
    metric: config.metric_name,
    unit: config.unit,
    rawTag,
    scale: config.scale,
    offset: config.offset,
    // A device that sends single precision means the nearest one to the number of the configuration.
    invalid: invalid?.length ? new Set(invalid.flatMap((value) => [value, Math.fround(value)])) : null,
    min: config.min ?? -Number.MAX_VALUE,
    max: config.max ?? Number.MAX_VALUE,
    values: values ? new Map(Object.entries(values).map(([text, value]) => [text.trim(), value])) : null,
  }
}

const NOT_FINITE = new NoNumber(fault('value_not_finite'))

/**
 * The value of a reading, or why a value of the device becomes none. A text that `values` names has the number that stands there, which is
 * not scaled. Any other text has to hold a number.
 * @param raw as the device sent it; what is no number already passes through
 * @param format of numbers in texts
 */
export function readingValue(raw: number | string | NoNumber, tag: Tag, format?: NumberFormat): number | NoNumber {
  if (typeof raw === 'object') return raw
  if (typeof raw === 'string') return readingValueOfText(raw.trim(), tag, format)
  if (tag.invalid?.has(raw)) return new NoNumber(fault('value_listed_as_invalid', { value: raw }))
  const value = applyScale(raw, tag)
  // False for NaN and infinities too.
  return value >= tag.min && value <= tag.max ? value : whyOutside(value, tag)
}

function readingValueOfText(text: string, tag: Tag, format?: NumberFormat): number | NoNumber {
  const mapped = tag.values?.get(text)
  if (mapped !== undefined) return mapped
  const number = numberIn(text, format) ?? new NoNumber(fault('text_is_empty'))
  if (typeof number === 'number') return readingValue(number, tag)
  return tag.values ? new NoNumber(fault('text_is_not_mapped', { text: shownText(text) })) : number
}

function whyOutside(value: number, { min, max }: Tag): NoNumber {
  if (!Number.isFinite(value)) return NOT_FINITE
  return new NoNumber(value < min ? fault('value_below_min', { min }) : fault('value_above_max', { max }))
}

/**
 * 906 at a scale of 0.1 is 90.6, as the device's own display shows it: the last binary digits of the product are noise, because
 * no measurement has 16 digits. An unscaled value is unchanged.
 */
const applyScale = (raw: number, { scale, offset }: Pick<Tag, 'scale' | 'offset'>): number =>
  scale === 1 && offset === 0 ? raw : Number((raw * scale + offset).toPrecision(15))

/** What devices usually send when they have no value: the ends of the integer types, as signed and unsigned numbers, and -9999. */
const USUAL_INVALID = [32_767, -32_768, 65_535, 2_147_483_647, -2_147_483_648, 2_147_483_648, 4_294_967_295, -9_999]

/** The raw value that probably means "no value", behind a reading of a tag without `invalid`; undefined: none. */
export function suspectedInvalid(reading: number, tag: Tag): number | undefined {
  if (tag.invalid || tag.values || tag.scale === 0) return undefined
  return USUAL_INVALID.find((raw) => applyScale(raw, tag) === reading)
}
