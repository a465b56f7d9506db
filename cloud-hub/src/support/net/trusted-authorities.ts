import { createHash } from 'node:crypto'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'

/** Contexts that are kept; parsing all authorities of the system for each connection would take several milliseconds. */
const MAX_KEPT = 64

export interface Trust {
  /** differs for different authorities */
  id: string
  options: { ca?: string; secureContext?: SecureContext }
}

/**
 * @param base PEM of an authority that is trusted instead of the system's
 * @returns the TLS options that also trust the authorities of a request. The default authorities are a part of them: `ca` of Node
 * would replace them @throws Error for text that is no certificate
 */
export function trustedAuthorities(base: string | undefined): (ca: string | undefined) => Trust {
  const usual: Trust = { id: '', options: base === undefined ? {} : { ca: base } }
  const kept = new Map<string, Trust>()
  return (ca) => {
    if (ca === undefined) return usual
    const id = createHash('sha256').update(ca).digest('base64url')
    const known = kept.get(id)
    kept.delete(id)
    const trust = known ?? { id, options: { secureContext: createSecureContext({ ca: [...defaults(base), ca] }) } }
    kept.set(id, trust)
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value as string)
    return trust
  }
}

const defaults = (base: string | undefined): string[] => (base === undefined ? getCACertificates('default') : [base])
