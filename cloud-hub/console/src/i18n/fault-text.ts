import { faultText } from '@haltless/protocol/fault-text'
import { useTranslations } from 'use-intl'
import type { Schemas } from '../api/client.ts'
import { fieldOf, isApiError, type Problem } from '../api/error.ts'
import { useSignedInFormat } from './format-context.ts'
import { formatLocaleOf, useCatalogue } from './language.ts'

const MINUTE_MS = 60_000

/** The names of the arguments of an ICU message; every second brace begins a text instead, that of a choice. */
function argumentsOf(message: string): string[] {
  let depth = 0
  return [...message.matchAll(/\{(\w*)|\}/g)].flatMap(([brace, name]) => {
    depth += brace === '}' ? -1 : 1
    return name && depth % 2 === 1 ? [name] : []
  })
}

/** A text by a key that is known only now; null where the catalogue has none, is not loaded yet, or lacks a value. */
function useOptionalText(): (key: string, values: Record<string, string | number>) => string | null {
  const t = useTranslations() as unknown as {
    (key: string, values: Record<string, string | number>): string
    has(key: string): boolean
    raw(key: string): string
  }
  return (key, values) => {
    if (!t.has(key)) return null
    return argumentsOf(t.raw(key)).every((name) => values[name] !== undefined) ? t(key, values) : null
  }
}

/** A fault that an agent or the hub reports, by its code; `text` where there is none. */
export function useReportedFault(): (fault: Schemas['Fault'] | null | undefined, text: string) => string {
  const format = useSignedInFormat()
  const { faultTexts } = useCatalogue()
  const show = (name: string, param: string) => (name === 'at' ? (format?.dateTime(param) ?? param) : param)
  return (fault, text) => (fault ? faultText(fault, faultTexts ?? {}, show) : text)
}

type FieldFault = Schemas['FieldError']

/** Such as 20 for 20 MiB, and 0.5 for half of one. */
const megabytes = (bytes: number): number => Number((bytes / 1_048_576).toPrecision(2))

/** The parameters of a code as values of its text. */
const valuesOf = ({ bytes, ...params }: Record<string, string | number> = {}) =>
  bytes === undefined ? params : { ...params, megabytes: megabytes(Number(bytes)) }

/** What is wrong with a value, in the reader's language; as the hub wrote it for a code that is new to the console. */
function useFieldText(): (fault: FieldFault) => string {
  const textOf = useOptionalText()
  return ({ code, params, message }) => textOf(`fieldErrors.${code}`, valuesOf(params)) ?? message
}

/** What is wrong with a row of a file, such as `name: A value is required.` */
export function useRowText(): (faults: readonly FieldFault[]) => string {
  const fieldText = useFieldText()
  return (faults) => faults.map((fault) => (fault.path ? `${fault.path}: ${fieldText(fault)}` : fieldText(fault))).join(' ')
}

/** For a code that is new to the console, where the status says enough. */
const OF_STATUS: Record<number, string> = { 404: 'resource_not_found', 429: 'rate_limited', 500: 'internal_error' }

/** When it is worth trying again; a time without seconds is the next whole minute. */
const againAfter = (seconds: number, at: number) => ({
  seconds,
  minutes: Math.max(1, Math.ceil(seconds / 60)),
  time: new Intl.DateTimeFormat(formatLocaleOf(navigator.languages), { timeStyle: 'short' }).format(
    Math.ceil(at / MINUTE_MS + seconds / 60) * MINUTE_MS,
  ),
})

/** What a person reads when a request fails, in the reader's language; the hub's own sentence only for a code that is new to the console. */
export function useFaultText(): (error: unknown) => string {
  const t = useTranslations('faults')
  const textOf = useOptionalText()
  const reportedText = useReportedFault()
  const fieldText = useFieldText()
  const refusalText = ({ code, status, detail, request_id, retry_after, errors, params = {} }: Problem, at: number): string => {
    const { reason, ...others } = params
    const [first] = errors ?? []
    const values = {
      ...valuesOf(others as Record<string, string | number>),
      request_id,
      ...againAfter(retry_after ?? 60, at),
      ...(reason === undefined
        ? {}
        : { reason: typeof reason === 'object' ? reportedText(reason as Schemas['Fault'], '') : String(reason) }),
      ...(first ? { reason: fieldText(first) } : {}),
    }
    return textOf(`refusals.${code}`, values) ?? textOf(`refusals.${OF_STATUS[status]}`, values) ?? detail
  }
  return (error) => {
    if (!isApiError(error) || error.problem === null) return t('unreachable')
    const { problem } = error
    const [first] = problem.errors ?? []
    if (error.code !== 'validation_failed' || !first) return refusalText(problem, error.at)
    const path = fieldOf(first.path)
    const name = textOf(`fieldNames.${path.split('.').at(-1)}`, {}) ?? path
    return `${refusalText(problem, error.at)} ${name}: ${fieldText(first)}`
  }
}

/** What is wrong with the fields of a form, by their path such as `name` or `config.url`. */
export function useFieldFaults(error: unknown): Record<string, string> {
  const fieldText = useFieldText()
  if (!isApiError(error)) return {}
  return Object.fromEntries(Object.entries(error.fields).map(([path, fault]) => [path, fieldText(fault)]))
}
