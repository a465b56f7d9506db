import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Hono } from 'hono'
import { DOCS_FILES, DOCS_POLICY } from './docs-page.ts'
import type { SigningKeys } from './features/accounts/index.ts'
import type { Env } from './support/http/mount.ts'
import type { Metrics } from './support/metrics.ts'

export interface PageDeps {
  keys: SigningKeys
  metrics: Metrics
  /** what is not ready, by name; empty when everything is */
  notReady(): Promise<string[]>
}

const require = createRequire(import.meta.url)
const SWAGGER_FILES: Record<string, string> = { 'swagger-ui.css': 'text/css', 'swagger-ui-bundle.js': 'text/javascript' }

/** What the hub serves beside /api/v1: health, metrics, public keys and the page of the API document (nothing is fetched from outside). */
export function mountPages(app: Hono<Env>, deps: PageDeps): void {
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    const missing = await deps.notReady()
    return c.json(missing.length === 0 ? { status: 'ready' } : { status: 'not_ready', missing }, missing.length === 0 ? 200 : 503)
  })
  app.get('/metrics', async (c) =>
    c.text(await deps.metrics.registry.metrics(), 200, { 'content-type': deps.metrics.registry.contentType }),
  )
  app.get('/.well-known/jwks.json', (c) => c.json({ keys: [...deps.keys.access.publicJwks(), ...deps.keys.mqtt.publicJwks()] }))
  for (const [name, { type, text }] of Object.entries(DOCS_FILES))
    app.get(name ? `/docs/${name}` : '/docs', (c) =>
      c.body(text, 200, { 'content-type': type, 'content-security-policy': DOCS_POLICY }),
    )
  app.get('/docs/:file', async (c, next) => {
    const file = c.req.param('file')
    const type = SWAGGER_FILES[file]
    if (!type) return next()
    const folder = path.dirname(require.resolve('swagger-ui-dist/package.json'))
    return c.body(await readFile(path.join(folder, file)), 200, {
      'content-type': type,
      'cache-control': 'public, max-age=86400',
    })
  })
  app.get('/', (c) => c.redirect('/docs'))
}
