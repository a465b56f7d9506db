import { X509Certificate } from 'node:crypto'
import type { ICertificateStore, StatusCode } from 'node-opcua'
import { type ServerCertificate, thumbprintOf } from './certificate.ts'
import type { Pki } from './pki.ts'

interface TrustCodes {
  Good: StatusCode
  BadCertificateUntrusted: StatusCode
}

/** Adapts our folder to node-opcua: it refuses untrusted certificates and stores them for the command `trust`. */
export class TrustStore implements ICertificateStore {
  referenceCounter = 0
  /** the server certificate that was refused last */
  refused: ServerCertificate | null = null
  readonly #pki: Pki
  readonly #codes: TrustCodes
  readonly #pinned: string | undefined

  /** @param pinned thumbprint of the one certificate that is trusted, in any notation; without it the folder decides */
  constructor(pki: Pki, codes: TrustCodes, pinned?: string) {
    this.#pki = pki
    this.#codes = codes
    this.#pinned = pinned?.replace(/[^0-9a-f]/gi, '').toUpperCase()
  }

  async checkCertificate(certificate: Buffer | Buffer[]): Promise<StatusCode> {
    if (this.#isPinned(leafOf(certificate))) return this.#codes.Good
    const seen = await this.#pki.remember(leafOf(certificate))
    if (seen.isTrusted && this.#pinned === undefined) return this.#codes.Good
    this.refused = seen
    return this.#codes.BadCertificateUntrusted
  }

  /** The library also asks about our own certificate, which needs no trust: answered without storing it. */
  async verifyCertificate(certificate: Buffer | Buffer[]): Promise<string> {
    const leaf = leafOf(certificate)
    const isTrusted = this.#pinned === undefined ? await this.#pki.isTrusted(leaf) : this.#isPinned(leaf)
    return isTrusted ? 'Good' : 'BadCertificateUntrusted'
  }

  #isPinned(leaf: Buffer): boolean {
    return this.#pinned !== undefined && thumbprintOf(new X509Certificate(leaf)) === this.#pinned
  }

  getTrustStatus(certificate: Buffer): Promise<StatusCode> {
    return this.checkCertificate(certificate)
  }

  // No-ops: only the operator changes trust, and the agent uses no issuers.
  async initialize(): Promise<void> {}
  async dispose(): Promise<void> {}
  async trustCertificate(): Promise<void> {}
  async rejectCertificate(): Promise<void> {}
  async addIssuer(): Promise<void> {}
  async addRevocationList(): Promise<void> {}
}

const leafOf = (certificate: Buffer | Buffer[]): Buffer => (Array.isArray(certificate) ? (certificate[0] as Buffer) : certificate)
