import { constants } from 'node:crypto'
import type { TlsOptions } from 'node:tls'

/** The suites of TLS 1.3, and those of TLS 1.2 with forward secrecy and authenticated encryption (RFC 9325, 4.2). */
const SUITES = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':')

/** What every TLS listener of the hub offers. A renegotiation costs the server more than the client that requests it. */
export const tlsServerOptions = ({ cert, key }: { cert: Buffer; key: Buffer }) =>
  ({
    cert,
    key,
    minVersion: 'TLSv1.2',
    ciphers: SUITES,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  }) satisfies TlsOptions
