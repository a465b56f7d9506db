import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'

/**
 * The certificate authorities that are trusted: those of Node, those of the system, and those of a file. PEM, each once.
 * @throws Error of the file system
 */
export const authorities = (caFile: string | undefined): string[] => [
  ...new Set([
    ...getCACertificates('default'),
    ...getCACertificates('system'),
    ...(caFile === undefined ? [] : [readFileSync(caFile, 'utf8')]),
  ]),
]
