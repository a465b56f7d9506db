import { AGENT_TEXTS } from './agent-texts.ts'
import { CONFIG_TEXTS } from './config-texts.ts'
import { DELIVERY_TEXTS } from './delivery-texts.ts'
import { DEVICE_TEXTS } from './device-texts.ts'
import { ERP_CONFIG_TEXTS, ERP_NETWORK_TEXTS, ERP_TEXTS } from './erp-texts.ts'
import { isFault, rendered } from './fault-text.ts'
import { HTTP_TEXTS } from './http-texts.ts'
import { HUB_TEXTS } from './hub-texts.ts'
import { NETWORK_TEXTS } from './network-texts.ts'
import { ROLLOUT_TEXTS } from './rollout-texts.ts'
import { SIGNOFF_TEXTS } from './signoff-texts.ts'
import { WRAPPER_TEXTS } from './wrapper-texts.ts'

/** Who caused a fault: only what a device itself answered may be shown to everybody. */
export const FAULT_SOURCES = ['device', 'network', 'agent', 'hub', 'config'] as const
export type FaultSource = (typeof FAULT_SOURCES)[number]

/** The English text of each code, with its parameters in braces. */
export const FAULT_TEXTS = {
  ...DEVICE_TEXTS,
  ...NETWORK_TEXTS,
  ...HTTP_TEXTS,
  ...AGENT_TEXTS,
  ...CONFIG_TEXTS,
  ...HUB_TEXTS,
  ...DELIVERY_TEXTS,
  ...ROLLOUT_TEXTS,
  ...ERP_TEXTS,
  ...ERP_CONFIG_TEXTS,
  ...ERP_NETWORK_TEXTS,
  ...SIGNOFF_TEXTS,
  ...WRAPPER_TEXTS,
}
export type FaultCode = keyof typeof FAULT_TEXTS

/** What is wrong, as a code with parameters, so that each reader gets it in a language of theirs. */
export interface Fault {
  /** a {@link FaultCode}; of a newer program perhaps another one */
  code: string
  params: Record<string, FaultParam>
  source: FaultSource
  /** the English text, for readers that do not know the code */
  detail: string
}
export type FaultParam = string | number | Fault

/** Limits of a fault on the wire; {@link fault} keeps them. */
export const FAULT_LIMITS = {
  codeChars: 100,
  detailChars: 1_000,
  params: 10,
  nameChars: 50,
  paramChars: 1_000,
  depth: 5,
  jsonChars: 8_000,
} as const

/** The names in braces of a text. */
type Names<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
/** Wrappers have the source of their reason, which therefore is a fault. */
type Param<Code, Name> = Code extends keyof typeof WRAPPER_TEXTS ? (Name extends 'reason' ? Fault : FaultParam) : FaultParam
type Params<Code extends FaultCode> = { [Name in Names<(typeof FAULT_TEXTS)[Code]>]: Param<Code, Name> }
type Arguments<Code extends FaultCode> = [Names<(typeof FAULT_TEXTS)[Code]>] extends [never] ? [] : [params: Params<Code>]

const SOURCES: readonly (readonly [FaultSource, object])[] = [
  ['device', DEVICE_TEXTS],
  ['network', NETWORK_TEXTS],
  ['network', HTTP_TEXTS],
  ['network', ERP_NETWORK_TEXTS],
  ['agent', AGENT_TEXTS],
  ['config', CONFIG_TEXTS],
  ['config', ERP_CONFIG_TEXTS],
  ['hub', HUB_TEXTS],
  ['hub', DELIVERY_TEXTS],
  ['hub', ROLLOUT_TEXTS],
  ['hub', ERP_TEXTS],
  ['hub', SIGNOFF_TEXTS],
]
const SOURCE_OF = new Map(SOURCES.flatMap(([source, texts]) => Object.keys(texts).map((code) => [code, source] as const)))

/** @returns the fault, with its English text; what is longer than {@link FAULT_LIMITS} is cut */
export function fault<Code extends FaultCode>(code: Code, ...[given]: Arguments<Code>): Fault {
  const params: Record<string, FaultParam> = given ?? {}
  const { reason } = params
  const source = SOURCE_OF.get(code) ?? (isFault(reason) ? reason.source : 'agent')
  const detail = cut(
    rendered(FAULT_TEXTS[code], params, ({ detail }) => detail),
    FAULT_LIMITS.detailChars,
  )
  const found = { code, params: bounded(params, FAULT_LIMITS.depth), source, detail }
  return JSON.stringify(found).length > FAULT_LIMITS.jsonChars ? { ...found, params: {} } : found
}

/** What PostgreSQL and JSON cannot keep becomes U+FFFD: half of a surrogate pair, also where the cut makes one; NUL goes. */
const cut = (text: string, chars: number): string => text.replaceAll('\0', '').slice(0, chars).toWellFormed()

/** @param depth how many faults may still be within each other */
function bounded(params: Record<string, FaultParam>, depth: number): Record<string, FaultParam> {
  const entries = Object.entries(params).map(([name, param]): [string, FaultParam] => {
    if (typeof param === 'string') return [name, cut(param, FAULT_LIMITS.paramChars)]
    if (!isFault(param)) return [name, param]
    const detail = cut(param.detail, FAULT_LIMITS.detailChars)
    if (depth <= 1) return [name, cut(detail, FAULT_LIMITS.paramChars)]
    return [name, { ...param, detail, params: bounded(param.params, depth - 1) }]
  })
  return Object.fromEntries(entries)
}

/** @returns the fault with each text of it changed, also those of the faults in it, such as without secrets */
export function mapFaultTexts(found: Fault, change: (text: string) => string): Fault {
  const changed = (param: FaultParam): FaultParam => {
    if (typeof param === 'number') return param
    return typeof param === 'string' ? change(param) : mapFaultTexts(param, change)
  }
  const params = Object.fromEntries(Object.entries(found.params).map(([name, param]) => [name, changed(param)]))
  return { ...found, params, detail: change(found.detail) }
}
