import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Hono } from 'hono'
import { DOCS_FILES, DOCS_POLICY } from './docs-page.ts'
import type { SigningKeys } from './features/people/accounts/index.ts'
import type { Metrics } from './metrics.ts'
import { type MetricsAccess, metricsPage } from './metrics-page.ts'
import type { Env } from './support/http/http-app.ts'
import { staticFile } from './support/http/static-file.ts'
import { shareInFlight } from './support/share-in-flight.ts'

export interface PageDeps {
  keys: SigningKeys
  /** the public keys of certificates, as a JSON Web Key Set */
  certificateKeys(): Promise<object>
  metrics: Metrics
  metricsAccess: MetricsAccess
  /** names of what is not ready; empty when everything is */
  notReady(): Promise<string[]>
}

const require = createRequire(import.meta.url)
const SWAGGER_FILES: Record<string, string> = { 'swagger-ui.css': 'text/css', 'swagger-ui-bundle.js': 'text/javascript' }
const readSwagger = (file: string) => readFile(path.join(path.dirname(require.resolve('swagger-ui-dist/package.json')), file))

/**
 * The pages of the hub beside /api/v1: health, metrics, public keys and the API document. The pages load nothing from other
 * hosts.
 */
export function mountPages(app: Hono<Env>, deps: PageDeps): void {
  // The plain `option httpchk` of HAProxy sends this.
  app.options('/', (c) => c.body(null, 200, { allow: 'GET, HEAD, OPTIONS' }))
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  // This has no rate limit, so concurrent requests share one check.
  const notReady = shareInFlight(deps.notReady)
  app.get('/readyz', async (c) => {
    const missing = await notReady()
    return c.json(missing.length === 0 ? { status: 'ready' } : { status: 'not_ready', missing }, missing.length === 0 ? 200 : 503)
  })
  app.get('/metrics', metricsPage(deps.metrics, deps.metricsAccess))
  app.get('/.well-known/jwks.json', (c) => c.json({ keys: [...deps.keys.access.publicJwks(), ...deps.keys.mqtt.publicJwks()] }))
  app.get('/.well-known/certificate-keys.json', async (c) => c.json(await deps.certificateKeys()))
  for (const [name, { type, text }] of Object.entries(DOCS_FILES))
    app.get(name ? `/docs/${name}` : '/docs', (c) =>
      c.body(text, 200, { 'content-type': type, 'content-security-policy': DOCS_POLICY }),
    )
  for (const [file, type] of Object.entries(SWAGGER_FILES)) {
    const answer = staticFile(() => readSwagger(file), type)
    app.get(`/docs/${file}`, (c) => answer(c.req.raw.headers))
  }
}
