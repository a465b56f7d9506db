import { type Call, type ClientOptions, Sender } from './send.ts'
import { followStream, type StreamEvent, type StreamOptions } from './stream.ts'
import type { AnswerOf, Arguments, ItemOf, Method, PagedPath, PathFor } from './types.ts'

/** One call's input with its types forgotten. */
type Loose = Omit<Call, 'method' | 'path' | 'values'> & { path?: Record<string, unknown> }

interface LoosePage {
  items?: unknown[]
  next_cursor?: string | null
  total?: number
  pagination?: { total: number }
}

/** Where a list is read on. */
interface Position {
  page?: number
  cursor?: string
}

const MAX_PAGE_SIZE = 100

/**
 * The operations of a hub, typed by its OpenAPI document. Paths are below `/api/v1`, with `{name}` for ids. Calls are repeated where that does
 * nothing twice, and refusals are thrown as {@link HaltlessError}.
 */
export class HaltlessClient {
  readonly #sender: Sender

  constructor(options: ClientOptions) {
    this.#sender = new Sender(options)
  }

  get<P extends PathFor<'get'>>(path: P, ...[input]: Arguments<P, 'get'>): Promise<AnswerOf<P, 'get'>> {
    return this.call('get', path, input)
  }

  post<P extends PathFor<'post'>>(path: P, ...[input]: Arguments<P, 'post'>): Promise<AnswerOf<P, 'post'>> {
    return this.call('post', path, input)
  }

  put<P extends PathFor<'put'>>(path: P, ...[input]: Arguments<P, 'put'>): Promise<AnswerOf<P, 'put'>> {
    return this.call('put', path, input)
  }

  patch<P extends PathFor<'patch'>>(path: P, ...[input]: Arguments<P, 'patch'>): Promise<AnswerOf<P, 'patch'>> {
    return this.call('patch', path, input)
  }

  delete<P extends PathFor<'delete'>>(path: P, ...[input]: Arguments<P, 'delete'>): Promise<AnswerOf<P, 'delete'>> {
    return this.call('delete', path, input)
  }

  /** An answer as it came: for files, CSV and headers. */
  raw<M extends Method, P extends PathFor<M>>(method: M, path: P, ...[input]: Arguments<P, M>): Promise<Response> {
    return this.#sender.send(callOf(method, path, input), (response) => response)
  }

  /** The entries of a list, page by page: with cursors where the list has them, so that entries that are added meanwhile move none. */
  async *items<P extends PagedPath>(path: P, ...[input]: Arguments<P, 'get'>): AsyncGenerator<ItemOf<P>, void, undefined> {
    for await (const page of this.pages(path, ...([input] as Arguments<P, 'get'>))) {
      const entries = Array.isArray(page) ? page : (page as LoosePage).items
      yield* (entries ?? []) as ItemOf<P>[]
    }
  }

  /** The pages of a list. */
  async *pages<P extends PagedPath>(
    path: P,
    ...[input]: Arguments<P, 'get'>
  ): AsyncGenerator<AnswerOf<P, 'get'>, void, undefined> {
    const { query = {}, ...rest } = (input ?? {}) as Loose
    const { page: first = 1, cursor, page_size: size = MAX_PAGE_SIZE, ...filters } = query
    let position = (cursor ? { cursor } : { page: first }) as Position
    for (;;) {
      const page = await this.call('get', path, { ...rest, query: { ...filters, page_size: size, ...position } })
      yield page as AnswerOf<P, 'get'>
      const next = nextOf(page as LoosePage | unknown[], size as number, position.page)
      if (!next) return
      position = next
    }
  }

  /** Events of `GET /stream` as they happen; a connection that ends is opened again after the last event. */
  stream({ query, lastEventId, signal }: StreamOptions = {}): AsyncGenerator<StreamEvent, void, undefined> {
    const open = (last: string, connection: AbortSignal) =>
      this.#sender.send(
        {
          method: 'GET',
          path: '/stream',
          query,
          signal: connection,
          isStream: true,
          headers: { accept: 'text/event-stream', ...(last ? { 'last-event-id': last } : {}) },
        },
        (response) => response,
      )
    return followStream(open, { ...(lastEventId ? { lastEventId } : {}), ...(signal ? { signal } : {}) })
  }

  private async call<T>(method: Method, path: string, input: unknown): Promise<T> {
    const text = await this.#sender.send(callOf(method, path, input), (response) => response.text())
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
}

function callOf(method: Method, path: string, input: unknown): Call {
  const { path: values, ...rest } = (input ?? {}) as Loose
  return { ...rest, values, method: method.toUpperCase(), path }
}

/** Where a list goes on after a page; null: it ends. @param page undefined: read with cursors */
function nextOf(answer: LoosePage | unknown[], size: number, page: number | undefined): Position | null {
  if (!Array.isArray(answer) && answer.next_cursor) return { cursor: answer.next_cursor }
  if (page === undefined) return null
  const entries = Array.isArray(answer) ? answer : (answer.items ?? [])
  const total = Array.isArray(answer) ? undefined : (answer.pagination?.total ?? answer.total)
  const isLast = entries.length === 0 || (total === undefined ? entries.length < size : page * size >= total)
  return isLast ? null : { page: page + 1 }
}
