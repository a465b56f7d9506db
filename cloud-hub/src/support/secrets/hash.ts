import { hash } from 'node:crypto'

/** SHA-256 in hex: for looking up 256-bit random tokens, which need no slow hash. */
export const sha256 = (text: string): string => hash('sha256', text)
