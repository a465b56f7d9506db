import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Hono } from 'hono'
import { AppError } from './support/errors.ts'
import { BuiltFiles } from './support/http/built-files.ts'
import type { Env } from './support/http/http-app.ts'

/** Where the build of the console is, in a checkout and in the image. */
export const CONSOLE_DIR = path.join(import.meta.dirname, '../console/dist')

/**
 * The two styles that React Aria adds to the page: one for touch, and on iOS one for dialogs. Their hashes change with the package
 * `react-aria-components`; a browser reports a violation then, and the tests fail.
 */
const REACT_ARIA_STYLES = [
  'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o=',
  'sha256-gYiS/BvZvRcK27JIXTuwhZ3hs2+VJ1X+2gUlE+farlg=',
]

/** Everything comes from this hub; QR codes are data: images. */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${REACT_ARIA_STYLES.map((hash) => `'${hash}'`).join(' ')}`,
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Paths below these belong to the hub itself, or programs look there for something that the hub does not have: an unknown one is an
 * error, not a page of the console.
 */
const OF_THE_HUB =
  /^\/(?:api|docs|mcp|robots\.txt|llms\.txt|assets|calendars|verify|mqtt|metrics|healthz|readyz|\.well-known)(?:\/|$)/
const YEAR = 'public, max-age=31536000, immutable'

/** Links of mails lead to these pages, with a token in the address. */
const TOKEN_PAGES = ['/invite', '/reset-password']

/**
 * Serves the console: its files, and its page at every path that is not the hub's own. The names of files below /assets contain
 * their hash. Without a build, `/` leads to the API document.
 */
export function mountConsole(app: Hono<Env>, dir: string = CONSOLE_DIR): void {
  if (!existsSync(path.join(dir, 'index.html'))) {
    app.get('/', (c) => c.redirect('/docs'))
    return
  }
  const files = new BuiltFiles(dir)
  app.get('*', async (c, next) => {
    const { path: name } = c.req
    const { headers } = c.req.raw
    if (name.startsWith('/assets/')) {
      const found = await files.answer(name, headers, { 'cache-control': YEAR })
      if (!found) throw new AppError(404, 'path_not_found', 'There is no such file; load the page again.')
      return found
    }
    if (OF_THE_HUB.test(name)) return next()
    const isFile = name !== '/index.html' && !name.startsWith('/.') && files.has(name)
    const answer = await files.answer(isFile ? name : '/index.html', headers, {
      'cache-control': TOKEN_PAGES.includes(name) ? 'no-store' : 'no-cache',
      'content-security-policy': CONSOLE_POLICY,
    })
    return answer ?? next()
  })
}
