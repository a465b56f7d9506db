import {
  type CollectorSource,
  fetchServerCertificate,
  listServerCertificates,
  type ProbeDeps,
  trustServer,
} from '../collectors/index.ts'
import { shortError } from '../support/short-error.ts'
import { alignColumns } from './output.ts'

/**
 * Requests the certificate of every OPC UA server with an encrypted source, and reports which ones are trusted. Trusts nothing.
 * @param trustCommand the command that trusts a thumbprint
 */
export async function formatCertificates(
  sources: readonly CollectorSource[],
  deps: ProbeDeps,
  trustCommand: (thumbprint: string) => string,
): Promise<string> {
  const faults: string[][] = []
  for (const source of sources) {
    if (source.protocol !== 'opcua' || source.config.security_mode === 'None') continue
    try {
      await fetchServerCertificate(source, deps)
    } catch (error) {
      faults.push([source.name, shortError(error)])
    }
  }
  const known = await listServerCertificates(deps.pkiDir)
  const rows = known.map(({ thumbprint, subject, applicationUri, validTo, isTrusted }) => [
    thumbprint,
    isTrusted ? 'trusted' : 'NOT TRUSTED',
    subject,
    applicationUri,
    `until ${validTo.toISOString().slice(0, 10)}`,
  ])
  const isAnyEncrypted = sources.some(({ protocol, config }) => protocol === 'opcua' && config.security_mode !== 'None')
  const none = isAnyEncrypted
    ? 'no server certificate was seen yet'
    : 'no server certificate is needed: no collector polls OPC UA encrypted (security_mode)'
  const parts = [rows.length > 0 ? alignColumns(rows) : none]
  if (faults.length > 0) parts.push(alignColumns(faults))
  const untrusted = known.filter(({ isTrusted }) => !isTrusted)
  if (untrusted.length > 0) {
    parts.push('Compare a thumbprint with the one that the server shows, then trust it:')
    parts.push(...untrusted.map(({ thumbprint }) => `  ${trustCommand(thumbprint)}`))
  }
  return parts.join('\n')
}

/** Trusts one certificate that was seen. @throws Error in plain words */
export async function trustCertificate(thumbprint: string, pkiDir: string): Promise<string> {
  const { subject, thumbprint: whole } = await trustServer(pkiDir, thumbprint)
  return `${subject} (${whole}) is trusted from now on; a running agent connects by itself`
}
