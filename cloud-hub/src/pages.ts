import type { Hono } from 'hono'
import type { SigningKeys } from './features/people/accounts/index.ts'
import type { Metrics } from './metrics.ts'
import { type MetricsAccess, metricsPage } from './metrics-page.ts'
import type { Env } from './support/http/http-app.ts'
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

/**
 * The pages of the hub beside /api/v1: health, metrics and public keys.
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
}
