import { fieldError, PreconditionFailed, Unprocessable } from '../errors.ts'
import { z } from './z.ts'

/** For the document: the header of changes of records with a version. */
export const IfMatch = z.object({
  'If-Match': z.string().optional().openapi({
    // documentation pages send examples, and this one always holds
    example: '*',
    description:
      'The `version` of the record as you read it, in double quotes. When somebody has changed the record since, the answer is 412 and nothing changes. `*` matches every version; without the header the change is made in any case.',
  }),
})

/** What changes of a record with a version need. */
export interface VersionedRecord {
  /** locks the record until the end of the transaction, after the locks that its changes acquire before it */
  // biome-ignore lint/suspicious/noExplicitAny: the types of scopes and parameters meet here
  lock(sql: any, scope: any, params: any, body: any): PromiseLike<unknown>
  /** the record as it is answered; within the transaction of the change */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  current(scope: any, params: any): Promise<{ version: string }>
}

interface Transactions {
  tx<T>(work: (sql: unknown) => Promise<T>): Promise<T>
  read<T>(work: (sql: unknown) => Promise<T>): Promise<T>
}

const TAG = '(?:W/)?"[!\\x23-\\x7e\\x80-\\xff]*"'
const TAGS = new RegExp(`^${TAG}(?:[ \\t]*,[ \\t]*${TAG})*$`)

/**
 * The versions that a header accepts; null: every one. Weak tags match none (RFC 9110, 13.1.1).
 * @throws Unprocessable
 */
function acceptedBy(header: string | null): ReadonlySet<string> | null {
  const text = header?.trim() ?? '*'
  if (text === '*') return null
  if (!TAGS.test(text))
    throw new Unprocessable([
      fieldError('header.if-match', 'invalid', {
        message: 'must be a version in double quotes, such as "kJ3vX0cQm1Zt8yPd", or *',
      }),
    ])
  return new Set([...text.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, tag = '']) => (weak ? [] : [tag])))
}

/**
 * The handler of a change with `If-Match`. Each transaction of it locks the record, remembers the version that it has, does the work
 * with all of its own refusals, and is rolled back where that version is not accepted.
 */
export function conditional<
  Input extends { scope: unknown; params: unknown; body?: unknown; caller: { headers: Headers } },
  Answer,
>(record: VersionedRecord, handle: (input: Input) => Promise<Answer>): typeof handle {
  return async (input) => {
    let accepted = acceptedBy(input.caller.headers.get('if-match'))
    if (accepted === null) return handle(input)
    const scope = input.scope as Transactions
    let isChecked = false
    const tx: Transactions['tx'] = async (work) => {
      const { result, after } = await scope.tx(async (sql) => {
        const within: Transactions = { tx: (inner) => inner(sql), read: (inner) => inner(sql) }
        const version = async () => (await record.current({ ...scope, ...within }, input.params)).version
        await record.lock(sql, scope, input.params, input.body)
        const before = await version()
        const done = await work(sql)
        if (!accepted?.has(before))
          throw new PreconditionFailed('Somebody else has changed this meanwhile: read it again, and decide what holds.')
        return { result: done, after: await version() }
      })
      // what this request has written itself
      accepted = new Set([after])
      isChecked = true
      return result
    }
    const answer = await handle({ ...input, scope: { ...scope, tx } })
    // a change of nothing
    if (!isChecked) await tx(async () => undefined)
    return answer
  }
}
