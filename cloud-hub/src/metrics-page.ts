import { createHash, timingSafeEqual } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Secret } from '@haltless/edge-agent/secret'
import { type Context, Hono } from 'hono'
import { type HubConfig, isLoopback } from './config.ts'
import type { Metrics } from './metrics.ts'
import { Forbidden, Unauthenticated } from './support/errors.ts'
import { createGracefulClose } from './support/http/close-server.ts'
import { createHttpServer } from './support/http/server.ts'

/** Access to `/metrics`: everyone, clients on this machine, no client, or clients with the token. */
export type MetricsAccess = 'open' | 'local' | 'closed' | Secret

/** Access to `/metrics` on the hub's own port: with a token those who have it, otherwise clients on this machine. What a proxy forwards with the PROXY protocol has no header of HTTP that says so. */
export const metricsAccessOf = (config: HubConfig): MetricsAccess =>
  config.metricsToken ?? (isLoopback(config.host) && !config.proxyProtocol ? 'local' : 'closed')

/** @throws Forbidden, Unauthenticated */
export function metricsPage(metrics: Metrics, access: MetricsAccess): (c: Context) => Promise<Response> {
  return async (c) => {
    if (access === 'closed' || (access === 'local' && isForwarded(c.req.raw.headers)))
      throw new Forbidden(
        'metrics_closed',
        'Metrics are closed on this port. Set METRICS_TOKEN and send it as a bearer token, or set METRICS_LISTEN for a separate port.',
      )
    if (access instanceof Secret && !isToken(c.req.header('authorization'), access))
      throw new Unauthenticated('metrics_token_required', 'Send METRICS_TOKEN as a bearer token.')
    return c.text(await metrics.text(), 200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' })
  }
}

/**
 * Whether a proxy forwarded the request, so that the client may be on another machine. Source: RFC 7239, and the headers that
 * proxies used before it
 */
const isForwarded = (headers: Headers): boolean =>
  ['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-real-ip', 'via'].some((name) => headers.has(name))

function isToken(authorization: string | undefined, token: Secret): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const given = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
  return given !== undefined && timingSafeEqual(digest(given), digest(token.reveal()))
}

/** Serves `/metrics` to every client on METRICS_LISTEN. @returns its port, and a function that closes it */
export async function listenForMetrics(
  metrics: Metrics,
  listen: { host: string; port: number },
  config: HubConfig,
): Promise<{ port: number; close(): Promise<void> }> {
  const app = new Hono().get('/metrics', metricsPage(metrics, 'open'))
  const { requestTimeoutSeconds: requestSeconds, trustedProxies } = config
  const server: Server = createHttpServer({ fetch: app.fetch, requestSeconds, trustedProxies })
  const close = createGracefulClose(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(listen.port, listen.host, () => resolve())
  })
  return { port: (server.address() as AddressInfo).port, close }
}
