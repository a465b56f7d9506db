import type { components } from '@haltless/client/schema'

export type Problem = components['schemas']['Problem']

/** A request that the hub refused (RFC 9457), or that did not reach it (`problem` is null). */
export class ApiError extends Error {
  readonly problem: Problem | null
  /** by the clock of this computer, in ms since 1970 */
  readonly at = Date.now()

  /** the answer said when to ask again, so the request was sent again for as long as that is of use */
  readonly isFinal: boolean

  constructor(problem: Problem | null, isFinal = false) {
    super(problem?.detail ?? 'The hub cannot be reached.')
    this.name = 'ApiError'
    this.problem = problem
    this.isFinal = isFinal
  }

  get status(): number {
    return this.problem?.status ?? 0
  }

  get code(): string {
    return this.problem?.code ?? 'unreachable'
  }

  /** what is wrong by the path of the field, such as `name` or `config.url` */
  get fields(): Record<string, components['schemas']['FieldError']> {
    return Object.fromEntries((this.problem?.errors ?? []).map((fault) => [fieldOf(fault.path), fault]))
  }
}

/** The hub names fields by their place in the request, such as `body.name`. */
export const fieldOf = (path: string): string => path.replace(/^(?:body|query|path)\./, '')

export const isApiError = (error: unknown): error is ApiError => error instanceof ApiError
