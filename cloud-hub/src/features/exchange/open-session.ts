import type { erpConnections } from '../../db/tables/erp.ts'
import type { Clock } from '../../support/clock.ts'
import type { GuardedClient } from '../../support/net/guarded-client.ts'
import { sha256 } from '../../support/secrets/hash.ts'
import type { SecretBox } from '../../support/secrets/secret-box.ts'
import type { Config } from '../../support/secrets/secret-config.ts'
import type { ErpSession, Provider } from './providers/provider.ts'

export type ConnectionRow = typeof erpConnections.$inferSelect

export interface ExchangeDeps {
  config: { erpTimeoutSeconds: number }
  box: SecretBox
  http: GuardedClient
  clock: Clock
}

const encryptionContext = (tenantId: string, connectionId: string): string => `erp_connections/${tenantId}/${connectionId}/config`

/** Encrypts the complete configuration of a connection for its row. */
export const sealConfig = (box: SecretBox, row: { tenantId: string; id: string }, config: Config): string =>
  box.seal(JSON.stringify(config), encryptionContext(row.tenantId, row.id))

/** The complete configuration, with its secrets. @throws DecryptionError */
export const openConfig = (box: SecretBox, row: Pick<ConnectionRow, 'tenantId' | 'id' | 'sealedConfig'>): Config =>
  JSON.parse(box.open(row.sealedConfig, encryptionContext(row.tenantId, row.id))) as Config

/** A session with the ERP of a connection; it makes no call yet. @throws DecryptionError */
export const openSession = (deps: ExchangeDeps, provider: Provider, row: ConnectionRow): ErpSession =>
  provider.open({
    config: openConfig(deps.box, row),
    fieldMapping: row.fieldMapping,
    http: deps.http,
    // Encryption never gives the same text twice, so each change of the configuration starts with new tokens.
    cacheKey: `${row.tenantId}/${row.id}/${sha256(row.sealedConfig)}`,
    now: () => deps.clock.now(),
    timeoutMs: deps.config.erpTimeoutSeconds * 1_000,
  })
