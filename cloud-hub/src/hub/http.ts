import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AppDeps, apiDocumentText, createApp } from '../app.ts'
import type { HubConfig } from '../config.ts'
import { createGroupGate } from '../features/plant/machine-groups/index.ts'
import { Live } from '../features/stream/index.ts'
import { UPLOADS } from '../features/work/attachments/index.ts'
import { listenForMetrics } from '../metrics-page.ts'
import { createGracefulClose } from '../support/http/close-server.ts'
import { createHttpServer } from '../support/http/server.ts'
import { noteRefusedHeaders } from '../support/net/proxied-server.ts'
import { createTxtResolver } from '../support/net/resolve-txt.ts'
import { type Broker, mqttUrl } from './broker.ts'
import type { Database } from './database.ts'
import { listenError, metricsListenError, type TlsSettings } from './listen.ts'
import { withLoopbackCookies } from './loopback-cookies.ts'
import type { Services } from './services.ts'
import type { Shutdown } from './shutdown.ts'

/** Serves the app on PORT, and the metrics on METRICS_LISTEN where that is set. @returns the port, and what the app was made of */
export async function serveHttp(
  services: Services,
  { isAlone }: Pick<Database, 'isAlone'>,
  broker: Broker,
  { tls, shutdown }: { tls: TlsSettings | undefined; shutdown: Shutdown },
): Promise<{ port: number; deps: AppDeps }> {
  const { config, clock, keys, logger, metrics, pools } = services
  await serveMetrics(services, shutdown)
  const live = new Live({
    system: pools.system,
    keys,
    groups: createGroupGate(services),
    clock,
    logger,
    observe: (n) => metrics.liveStreams.set(n),
  })
  const deps: AppDeps = {
    ...services,
    live,
    mqttUrl: (requestHost) => mqttUrl(config, broker.port ?? config.mqttPort, requestHost),
    resolveTxt: createTxtResolver(),
    isAlone,
    isBrokerReady: broker.isReady,
  }
  const { app, routes } = createApp(deps)
  // before the hub listens, so that no request waits for it
  if (config.roles.has('api')) apiDocumentText(routes)
  const { requestTimeoutSeconds: requestSeconds, trustedProxies } = config
  const fetch = services.demo && !tls ? withLoopbackCookies(app.fetch) : app.fetch
  const onHeaderRefused = config.proxyProtocol ? noteRefusedHeaders(logger) : undefined
  const server = createHttpServer({ fetch, tls, requestSeconds, trustedProxies, onHeaderRefused, uploads: UPLOADS })
  const closeServer = createGracefulClose(server)
  const closeWebSockets = broker.serveWebSockets(server)
  // one step: the server stops accepting, and ends after its streams and WebSockets
  shutdown.defer(async () => {
    const closed = closeServer()
    await live.stop()
    await broker.close()
    closeWebSockets()
    await closed
  })
  await listen(server, config)
  return { port: (server.address() as AddressInfo).port, deps }
}

async function serveMetrics({ config, metrics }: Services, shutdown: Shutdown): Promise<void> {
  if (!config.metricsListen) return
  const listener = await listenForMetrics(metrics, config.metricsListen, config).catch((error) => {
    throw metricsListenError(error)
  })
  shutdown.defer(listener.close)
}

const listen = (server: Server, config: HubConfig) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, 'PORT', config.port)))
    server.listen(config.port, config.host, () => resolve())
  })
