import { sha256 } from '../../support/secrets/hash.ts'
import type { ErpRecord } from './fields.ts'
import type { ErpSession } from './providers/provider.ts'

/**
 * Identifies what the ERP gets of a record, to recognise one that has not changed. It covers the mapped fields, so a new
 * `field_mapping` makes a record different, and does not depend on whether the record is created or updated.
 */
export const payloadHash = (session: Pick<ErpSession, 'prepare'>, record: ErpRecord): string =>
  sha256(JSON.stringify(session.prepare(record, null).body))
