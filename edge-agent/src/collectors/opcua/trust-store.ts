import type { ICertificateStore, StatusCode } from 'node-opcua'
import type { Pki, ServerCertificate } from './pki.ts'

interface TrustCodes {
  Good: StatusCode
  BadCertificateUntrusted: StatusCode
}

/** node-opcua's view of our folder: what is not trusted is refused, and remembered for `agent trust`. */
export class TrustStore implements ICertificateStore {
  referenceCounter = 0
  /** the server certificate that was refused last */
  refused: ServerCertificate | null = null
  readonly #pki: Pki
  readonly #codes: TrustCodes

  constructor(pki: Pki, codes: TrustCodes) {
    this.#pki = pki
    this.#codes = codes
  }

  async checkCertificate(certificate: Buffer | Buffer[]): Promise<StatusCode> {
    const seen = await this.#pki.remember(leafOf(certificate))
    if (seen.isTrusted) return this.#codes.Good
    this.refused = seen
    return this.#codes.BadCertificateUntrusted
  }

  /** Asked about our own certificate too, which needs no trust of ours: answers without remembering. */
  async verifyCertificate(certificate: Buffer | Buffer[]): Promise<string> {
    return (await this.#pki.isTrusted(leafOf(certificate))) ? 'Good' : 'BadCertificateUntrusted'
  }

  getTrustStatus(certificate: Buffer): Promise<StatusCode> {
    return this.checkCertificate(certificate)
  }

  // The library changes no trust and brings in no authorities: that is the operator's business
  async initialize(): Promise<void> {}
  async dispose(): Promise<void> {}
  async trustCertificate(): Promise<void> {}
  async rejectCertificate(): Promise<void> {}
  async addIssuer(): Promise<void> {}
  async addRevocationList(): Promise<void> {}
}

const leafOf = (certificate: Buffer | Buffer[]): Buffer => (Array.isArray(certificate) ? (certificate[0] as Buffer) : certificate)
