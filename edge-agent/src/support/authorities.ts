import { existsSync, readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'

/** Where OpenSSL looks on Linux. Without that folder Node prints a warning of its own. */
const SYSTEM_FOLDER = '/etc/ssl/certs'
const hasSystemStore = () =>
  process.platform !== 'linux' || existsSync(SYSTEM_FOLDER) || Boolean(process.env.SSL_CERT_DIR || process.env.SSL_CERT_FILE)

/**
 * The certificate authorities that are trusted: those of Node, those of the system, and those of a file. PEM, each once.
 * @throws Error of the file system
 */
export const authorities = (caFile: string | undefined): string[] => [
  ...new Set([
    ...getCACertificates('default'),
    ...(hasSystemStore() ? getCACertificates('system') : []),
    ...(caFile === undefined ? [] : [readFileSync(caFile, 'utf8')]),
  ]),
]
