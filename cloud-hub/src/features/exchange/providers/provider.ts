import type { Fault } from '@haltless/protocol'
import type { ErpEntity, ErpProvider, OutboundEntity } from '../../../db/enums.ts'
import type { GuardedClient } from '../../../support/net/guarded-client.ts'
import type { Config, ConfigRules } from '../../../support/secrets/secret-config.ts'
import type { ErpRecord } from '../fields.ts'

/** The particulars of one kind of ERP. Everything that is common to all lies outside: what is due, retries, logs. */
export interface Provider {
  provider: ErpProvider
  /** shape, secrets and addresses of `config` */
  rules(http: GuardedClient): ConfigRules
  /** names in the ERP, unless `config.paths` and `field_mapping` say otherwise */
  defaults: Readonly<Record<ErpEntity, EntityDefaults>>
  /** Opens no connection: the first call signs in. */
  open(settings: SessionSettings): ErpSession
}

export interface EntityDefaults {
  /** relative to `base_url` */
  path: string
  /** Haltless field -> field of the ERP; `id` leads to the field that holds our id, by which records are found again */
  fields: Readonly<Record<string, string>>
  /** list of a record -> field of the ERP, and its fields */
  lines?: Readonly<Record<string, { field: string; fields: Readonly<Record<string, string>> }>>
  /** the field of the ERP with its own id */
  key: string
}

export interface SessionSettings {
  config: Config
  fieldMapping: Readonly<Record<string, string>>
  http: GuardedClient
  /** sessions of one key may share tokens and cookies: connection and revision of its configuration */
  cacheKey: string
  now(): Date
  /** for one request; default 30,000 */
  timeoutMs?: number
}

/** What a record's request looks like, without credentials: for the preview and for summaries in logs. */
export interface PreparedRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: unknown
}

/**
 * What became of one record. `request` and `response` are summaries for the log: at most 500 characters, no secret.
 * `exists`: the ERP refused a create because it has a record with our id already, which `find` returns.
 */
export type PushOutcome = { request: string; response: string } & (
  | { kind: 'sent'; externalId: string }
  | { kind: 'exists' }
  /** this record cannot be accepted as it is, e.g. a field is too long; the fault names the field */
  | { kind: 'rejected'; fault: Fault }
  /** the ERP failed on this record and may accept it later: 500, timeout, lost connection, conflict. The request may have been executed */
  | { kind: 'failed'; fault: Fault }
)

/** The ERP cannot be used now, whichever record is sent. The run ends or waits. */
export class ErpUnavailable extends Error {
  override name = 'ErpUnavailable'
  readonly fault: Fault
  readonly reason: 'unreachable' | 'authentication' | 'authorization' | 'throttled' | 'maintenance'
  /** from Retry-After */
  readonly retryAfterSeconds: number | null
  readonly request: string
  readonly response: string
  /** what the request met before, for the summary of a later attempt */
  readonly met: string

  /** @param fault contains no secret */
  constructor(
    reason: ErpUnavailable['reason'],
    fault: Fault,
    details: { retryAfterSeconds?: number | null; request?: string; response?: string; met?: string | undefined } = {},
  ) {
    super(fault.detail)
    this.fault = fault
    this.reason = reason
    this.retryAfterSeconds = details.retryAfterSeconds ?? null
    this.request = details.request ?? ''
    this.response = details.response ?? ''
    this.met = details.met ?? ''
  }
}

export interface Asset {
  externalId: string
  /** as the ERP wrote them; the pull validates them */
  machineIdentifier: unknown
  name: unknown
  location: unknown
}

/** What a test found of an entity; `fault` is null where it can be read. */
export interface EntityCheck {
  ok: boolean
  message: string
  fault: Fault | null
}

export interface CheckResult {
  reachable: boolean
  authenticated: boolean
  /** for each entity: the ERP lets us read its path */
  entities: Readonly<Record<ErpEntity, EntityCheck>>
  /** one or more sentences for a person: what was found, and what to do about it */
  message: string
  /** the same by code; its sentence may be cut */
  fault: Fault
}

/** Calls to one ERP. Each renews expired tokens by itself and tries once more. All end when the signal aborts. */
export interface ErpSession {
  /** records per call of `create` and `update` */
  readonly batchSize: number
  /** Never throws. */
  check(signal: AbortSignal): Promise<CheckResult>
  /** @returns our id -> the ERP's id, of those that the ERP has; at most 50 ids @throws ErpUnavailable */
  find(entity: OutboundEntity, ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>
  /** @returns an outcome for each record, in order @throws ErpUnavailable when the first record of the call was not sent */
  create(records: readonly ErpRecord[], signal: AbortSignal): Promise<PushOutcome[]>
  /** As `create`; the outcome keeps the given external id. */
  update(records: readonly { record: ErpRecord; externalId: string }[], signal: AbortSignal): Promise<PushOutcome[]>
  /** @param page null: the first; otherwise `nextPage` of the page before @throws ErpUnavailable */
  assets(page: string | null, signal: AbortSignal): Promise<{ assets: Asset[]; nextPage: string | null }>
  /** The request that `create` (`externalId` null) or `update` would send. Sends nothing. */
  prepare(record: ErpRecord, externalId: string | null): PreparedRequest
}
