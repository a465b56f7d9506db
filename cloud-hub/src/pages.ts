import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Hono } from 'hono'
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
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"
const DOCS_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Haltless API</title><link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="ui"></div><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/init.js"></script></body></html>`
const DOCS_INIT =
  "SwaggerUIBundle({ url: '/api/v1/openapi.json', dom_id: '#ui', validatorUrl: null, deepLinking: true, docExpansion: 'list', persistAuthorization: false })"

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
  app.get('/docs', (c) => c.html(DOCS_PAGE, 200, { 'content-security-policy': DOCS_POLICY }))
  app.get('/docs/init.js', (c) => c.body(DOCS_INIT, 200, { 'content-type': 'text/javascript' }))
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
