import { X509Certificate } from 'node:crypto'

/** A server's certificate, as an operator compares it. */
export interface ServerCertificate {
  /** SHA-1 of the certificate in 40 upper-case hex digits, the thumbprint that OPC UA programs show */
  thumbprint: string
  /** such as `CN=Press, O=Acme` */
  subject: string
  /** `urn:...`, '' when the certificate names none */
  applicationUri: string
  validTo: Date
  isTrusted: boolean
}

/** SHA-1 in 40 upper-case hex digits */
export const thumbprintOf = (certificate: X509Certificate): string => certificate.fingerprint.replaceAll(':', '')
export const applicationUriOf = (certificate: X509Certificate): string =>
  /URI:([^,\s]+)/.exec(certificate.subjectAltName ?? '')?.[1] ?? ''

/** @returns null for bytes that are no certificate */
export function certificateIn(content: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(content)
  } catch {
    return null
  }
}

export function describeCertificate(certificate: X509Certificate, isTrusted: boolean): ServerCertificate {
  return {
    thumbprint: thumbprintOf(certificate),
    subject: certificate.subject.replaceAll('\n', ', '),
    applicationUri: applicationUriOf(certificate),
    validTo: new Date(certificate.validTo),
    isTrusted,
  }
}
