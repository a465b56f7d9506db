import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')

/** The version of the package that carries Chromium. */
export const VERSION = (
  JSON.parse(readFileSync(path.join(path.dirname(entry), '../../package.json'), 'utf8')) as { version: string }
).version
