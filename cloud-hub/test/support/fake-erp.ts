import { type Fault, fault } from '@haltless/protocol'
import type { ErpRecord } from '../../src/features/exchange/fields.ts'
import type { Asset, ErpSession, PushOutcome } from '../../src/features/exchange/providers/provider.ts'

/** What the ERP does with one record: `lost` executes the request, and the answer does not arrive. */
export type Reaction = 'accept' | 'lost' | 'fail' | 'reject'

export interface Stored {
  externalId: string
  record: ErpRecord
  /** accepted updates */
  updates: number
}

/**
 * An ERP in memory. It accepts a record twice unless `isUnique`, so that a test sees each create that was one too many.
 */
export class FakeErp {
  stored: Stored[] = []
  /** operation and number of records of each call */
  calls: string[] = []
  batchSize = 1
  isUnique = false
  assets: Asset[] = []
  pageSize = 2
  /** runs before each call; may wait or throw */
  before: (operation: string, ids: readonly string[], signal: AbortSignal) => Promise<void> | void = () => {}
  react: (record: ErpRecord, operation: string) => Reaction = () => 'accept'

  of(id: string): Stored[] {
    return this.stored.filter(({ record }) => record.id === id)
  }

  session(): ErpSession {
    const call = async (operation: string, ids: readonly string[], signal: AbortSignal) => {
      this.calls.push(`${operation} ${ids.length}`)
      await this.before(operation, ids, signal)
      signal.throwIfAborted()
    }
    return {
      batchSize: this.batchSize,
      check: () => Promise.reject(new Error('not used')),
      find: async (_entity, ids, signal) => {
        await call('find', ids, signal)
        return new Map(this.stored.filter(({ record }) => ids.includes(record.id)).map((one) => [one.record.id, one.externalId]))
      },
      create: async (records, signal) => {
        await call(
          'create',
          records.map(({ id }) => id),
          signal,
        )
        return records.map((record) => this.#create(record))
      },
      update: async (records, signal) => {
        await call(
          'update',
          records.map(({ record }) => record.id),
          signal,
        )
        return records.map(({ record, externalId }) => this.#update(record, externalId))
      },
      assets: async (page, signal) => {
        await call('assets', [], signal)
        const at = Number(page ?? 0)
        const next = at + this.pageSize
        return { assets: this.assets.slice(at, next), nextPage: next < this.assets.length ? String(next) : null }
      },
      prepare: ({ fields, lines }, externalId) => ({
        method: externalId === null ? 'POST' : 'PATCH',
        url: 'https://erp.invalid/records',
        headers: {},
        body: { ...fields, ...lines },
      }),
    }
  }

  #create(record: ErpRecord): PushOutcome {
    const reaction = this.react(record, 'create')
    const refusal = refusalOf(reaction, `POST ${record.entity}`)
    if (refusal && reaction !== 'lost') return refusal
    if (this.isUnique && this.of(record.id).length > 0)
      return { kind: 'exists', request: `POST ${record.entity}`, response: '409' }
    const externalId = `E-${this.stored.length + 1}`
    this.stored.push({ externalId, record, updates: 0 })
    return refusal ?? { kind: 'sent', externalId, request: `POST ${record.entity}`, response: '201' }
  }

  #update(record: ErpRecord, externalId: string): PushOutcome {
    const reaction = this.react(record, 'update')
    const refusal = refusalOf(reaction, `PATCH ${record.entity}`)
    if (refusal && reaction !== 'lost') return refusal
    const found = this.stored.find((one) => one.externalId === externalId)
    if (!found) return { kind: 'rejected', fault: said('The ERP has no such record.'), request: 'PATCH', response: '404' }
    found.record = record
    found.updates++
    return refusal ?? { kind: 'sent', externalId, request: `PATCH ${record.entity}`, response: '200' }
  }
}

function refusalOf(reaction: Reaction, request: string): PushOutcome | null {
  if (reaction === 'accept') return null
  if (reaction === 'reject') return { kind: 'rejected', fault: said('The field title is too long.'), request, response: '400' }
  const text = reaction === 'lost' ? 'The ERP did not answer in time.' : 'The ERP answered 500.'
  return { kind: 'failed', fault: said(text), request, response: reaction === 'lost' ? '' : '500' }
}

/** A fault with this sentence. */
export const said = (text: string): Fault => fault('unexpected_error', { text })

/** A promise that a test resolves: it holds a call of the ERP back. */
export function gate(): { opened: Promise<void>; open(): void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
