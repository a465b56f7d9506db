import { fault } from '@haltless/protocol'
import type { DamageLog } from '../../support/durable-file.ts'
import type { OpcUaSource, ProbeDeps } from '../collector.ts'
import type { ServerCertificate } from './certificate.ts'
import { discover } from './client.ts'
import { OperatorActionRequired } from './connection-errors.ts'
import { type ClientIdentity, openPki } from './pki.ts'

/** Server certificates that were seen, trusted ones first; the others wait for `trustServer`. */
export const listServerCertificates = (pkiDir: string): Promise<ServerCertificate[]> => openPki(pkiDir).list()

/**
 * Trusts a server certificate that was seen before, by its thumbprint (any notation; 8 digits or more are enough if unique).
 * Collectors take it into account at their next attempt.
 * @throws Error in plain words when no certificate, or more than one, has this thumbprint
 */
export const trustServer = (pkiDir: string, thumbprint: string): Promise<ServerCertificate> => openPki(pkiDir).trust(thumbprint)

/**
 * Asks the running server for the certificate that it shows for this source's security mode and policy, and keeps it for
 * `trustServer`. Trusts nothing.
 * @throws Error in plain words when the server cannot be reached or has no such endpoint
 */
export async function fetchServerCertificate(source: OpcUaSource, deps: ProbeDeps): Promise<ServerCertificate> {
  const { security_mode: mode, security_policy: policy } = source.config
  const endpoints = await discover(source, deps, new AbortController().signal)
  const { MessageSecurityMode } = await import('node-opcua')
  const endpoint = endpoints.find(
    (each) => each.securityMode === MessageSecurityMode[mode] && each.securityPolicyUri?.split('#')[1] === policy,
  )
  if (!endpoint) throw new OperatorActionRequired(fault('opcua_combination_not_offered', { mode, policy }))
  if (!endpoint.serverCertificate?.length) throw new OperatorActionRequired(fault('opcua_no_certificate'))
  return openPki(deps.pkiDir, deps.logger).remember(endpoint.serverCertificate)
}

/** Who we are to OPC UA servers, made on first use. @param log where damaged files are reported */
export const clientIdentity = (pkiDir: string, log: DamageLog): Promise<ClientIdentity> => openPki(pkiDir, log).identity()

/** Takes an identity that another program made. */
export const adoptClientIdentity = (pkiDir: string, identity: ClientIdentity, log: DamageLog): Promise<void> =>
  openPki(pkiDir, log).become(identity)
