import type { components } from './schema.d.ts'

export type Problem = components['schemas']['Problem']

/** A refusal of the hub. Decide by `code`, which is stable; `message` is a sentence for people. */
export class HaltlessError extends Error {
  readonly status: number
  /** undefined: something between program and hub answered */
  readonly code: Problem['code'] | undefined
  readonly requestId: string | undefined
  /** of 422: every field at fault */
  readonly errors: NonNullable<Problem['errors']>
  readonly params: NonNullable<Problem['params']>
  /** seconds until it is worth trying again; undefined: it is not known */
  readonly retryAfter: number | undefined

  constructor(response: Pick<Response, 'status' | 'headers'>, what: string, problem: Partial<Problem> | undefined) {
    super(problem?.detail ?? `${what} answered ${response.status}`)
    this.name = 'HaltlessError'
    this.status = response.status
    this.code = problem?.code
    this.requestId = problem?.request_id ?? response.headers.get('x-request-id') ?? undefined
    this.errors = problem?.errors ?? []
    this.params = problem?.params ?? {}
    this.retryAfter = secondsOf(response.headers.get('retry-after'))
  }
}

/** The hub sends seconds; a proxy may send a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
