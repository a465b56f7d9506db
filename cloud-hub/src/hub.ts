import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { type AppDeps, createApp } from './app.ts'
import { type EmbeddedBroker, startEmbeddedBroker } from './broker/embedded.ts'
import { type ExternalBroker, joinExternalBroker } from './broker/external.ts'
import { serveMqttOverWebSocket } from './broker/web-socket.ts'
import { ConfigError, type HubConfig, publicUrl } from './config.ts'
import { observeDatabase } from './database-metrics.ts'
import { openPools } from './db/pools.ts'
import { joinReplicas, purgeRateWindows } from './db/replicas.ts'
import { refreshStatistics } from './db/statistics.ts'
import { escalateDue } from './features/alerting/escalation/index.ts'
import { purgeMails, startMailing } from './features/delivery/mails/index.ts'
import { loadVapidKey, purgeDeliveries, startDelivering, vapidContact } from './features/delivery/notifications/index.ts'
import { queueReports } from './features/delivery/reports/index.ts'
import { loadSigningKeys, purgeAccounts } from './features/people/accounts/index.ts'
import { sweepSilentMachines } from './features/plant/machines/index.ts'
import { recomputeBaselines } from './features/telemetry/baselines/index.ts'
import { completeDurations, createFlush, createIngest } from './features/telemetry/ingest/index.ts'
import { createLive } from './features/telemetry/live/index.ts'
import { startPolling } from './features/telemetry/polling/index.ts'
import {
  advanceRollups,
  makePartitionsAhead,
  purgeAnomalies,
  purgeExpiredReadings,
  purgeReadingKeys,
  rollUpMarked,
  rowStore,
} from './features/telemetry/readings/index.ts'
import { listenForMetrics } from './metrics-page.ts'
import { prepareLogins, startOwnPostgres } from './open-database.ts'
import { type Clock, systemClock } from './support/clock.ts'
import { clientIp } from './support/http/client-ip.ts'
import { closable } from './support/http/close-server.ts'
import { createHttpServer } from './support/http/server.ts'
import { observeJobs, repeat } from './support/jobs.ts'
import type { Logger } from './support/logger.ts'
import { createMailer } from './support/mail.ts'
import { createMetrics } from './support/metrics.ts'
import { createGuardedClient } from './support/net/guarded-client.ts'
import { createTxtResolver } from './support/net/resolve-txt.ts'
import { createSecretBox } from './support/secrets/secret-box.ts'
import { loadOrMakeSecretKey } from './support/secrets/secret-key.ts'

export interface RunningHub {
  /** where the API answers, as this machine reaches it */
  url: string
  port: number
  mqttPort: number | null
  /** where the embedded PostgreSQL has its files, which is not always the data directory; null when it is not ours */
  databaseDir: string | null
  /** stops accepting, finishes what was let in, then closes; safe to call twice */
  stop(): Promise<void>
}

const SWEEP_SECONDS = 2
const DURATION_SECONDS = 1
const PURGE_SECONDS = 3_600
const ROLLUP_SECONDS = 3
const REPORT_SECONDS = 60
/** For so long at most a table that has just been filled is read as if it were small. */
const STATISTICS_SECONDS = 3
/** A rotated key is also looked up when the first token signed with it comes in. */
const KEYS_SECONDS = 5

/** A port that someone else listens on: `message` is for a terminal. */
export class PortInUse extends Error {
  constructor(setting: string, port: number) {
    super(`Port ${port} is in use by another program. Stop that one, or start with another: ${setting}=${port + 1}`)
    this.name = 'PortInUse'
  }
}

/** Starts the roles that the configuration names, in order; `stop` goes back the same way. */
export async function startHub(config: HubConfig, logger: Logger, clock: Clock = systemClock): Promise<RunningHub> {
  const stops: (() => Promise<unknown>)[] = []
  const stop = onceAsync(async () => {
    for (const step of stops.reverse()) await step().catch((error) => logger.warn({ err: error }, 'a part did not stop cleanly'))
  })
  try {
    const embedded = await startOwnPostgres(config, logger)
    stops.push(async () => embedded?.stop())
    const secretKey = config.secretKey ?? (await loadOrMakeSecretKey(config.dataDir))
    const pools = openPools(await prepareLogins(config, embedded, secretKey), config.requestTimeoutSeconds)
    stops.push(() => pools.close())

    const metrics = createMetrics()
    observeJobs(logger, metrics.observeJob)
    observeDatabase(metrics, { pools, clock, heartbeatSeconds: config.heartbeatSeconds })
    const replicas = await joinReplicas({ ...pools, logger })
    stops.push(replicas.leave)

    const box = createSecretBox(secretKey)
    const keys = await loadSigningKeys(pools.system, box)
    stops.push(repeat('signing keys', KEYS_SECONDS, logger, keys.reload))
    const http = createGuardedClient({ allow: config.outboundAllow })
    stops.push(async () => http.close())
    const mailer = createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom, dataDir: config.dataDir, clock, logger })
    stops.push(async () => mailer.close())
    const contact = vapidContact(publicUrl(config), config.mailFrom)
    const vapid = config.webPush ? await loadVapidKey(pools.system, box, contact) : null
    const store = rowStore(pools.ingest)
    const delivery = {
      allTenants: pools.system,
      listen: pools.listen,
      box,
      http,
      mailer,
      publicUrl: publicUrl(config),
      vapid,
      clock,
      logger,
      observe: metrics.observeDelivery,
    }
    const worker = config.roles.has('worker') ? await startDelivering(delivery) : null
    stops.push(async () => worker?.stop())
    const flush = createFlush({
      ingest: pools.ingest,
      clock,
      store,
      baselineIntervalSeconds: config.baselineIntervalSeconds,
      machineOfflineAfterSeconds: config.machineOfflineAfterSeconds,
      worker,
    })
    const ingest = createIngest(flush, logger, { observe: metrics.observeFlush, observeRejections: metrics.observeRejections })
    stops.push(() => ingest.drain())

    if (config.roles.has('worker')) {
      const polling = { pools, ingest, box, http, clock, logger, config }
      stops.push(await startPolling(polling))
      stops.push(await startMailing({ allTenants: pools.system, listen: pools.listen, box, mailer, clock, logger }))
      stops.push(repeat('statistics', STATISTICS_SECONDS, logger, () => refreshStatistics(pools.system)))
      const sweep = () => sweepSilentMachines(pools.system, clock.now(), config.machineOfflineAfterSeconds)
      stops.push(repeat('silent machines', SWEEP_SECONDS, logger, sweep))
      const complete = () => completeDurations(pools.ingest, clock, config.machineOfflineAfterSeconds)
      stops.push(repeat('durations of rules', DURATION_SECONDS, logger, complete))
      const escalate = () => escalateDue(pools.system, clock.now())
      stops.push(repeat('escalations', config.escalationTickSeconds, logger, escalate))
      stops.push(
        repeat('rollups', ROLLUP_SECONDS, logger, async () => {
          await advanceRollups(pools.system, clock.now())
          await rollUpMarked(pools.system)
        }),
      )
      let isStopping = false
      const recompute = () => recomputeBaselines(pools.system, store, clock.now(), () => !isStopping)
      stops.push(repeat('baselines', config.baselineIntervalSeconds, logger, recompute))
      stops.push(async () => {
        isStopping = true
      })
      stops.push(
        repeat('readings', PURGE_SECONDS, logger, async () => {
          await makePartitionsAhead(pools.system, clock.now())
          await purgeReadingKeys(pools.system, clock.now())
        }),
      )
      stops.push(repeat('anomalies', PURGE_SECONDS, logger, () => purgeAnomalies(pools.system, clock.now())))
      stops.push(
        repeat('retention', PURGE_SECONDS, logger, () => purgeExpiredReadings(pools.system, clock.now(), config.retention)),
      )
      const { deliveryRetentionDays } = config
      stops.push(
        repeat('deliveries', PURGE_SECONDS, logger, () => purgeDeliveries(pools.system, clock.now(), deliveryRetentionDays)),
      )
      stops.push(repeat('rate windows', PURGE_SECONDS, logger, () => purgeRateWindows(pools.system)))
      const reports = { allTenants: pools.system, box, publicUrl: publicUrl(config), logger }
      stops.push(repeat('reports', REPORT_SECONDS, logger, () => queueReports(reports, clock.now())))
      stops.push(repeat('mails', PURGE_SECONDS, logger, () => purgeMails(pools.system, clock.now())))
      stops.push(repeat('accounts', PURGE_SECONDS, logger, () => purgeAccounts(pools.system, clock.now())))
    }

    const tls = config.tls && {
      cert: await readPem('TLS_CERT', config.tls.certFile),
      key: await readPem('TLS_KEY', config.tls.keyFile),
    }
    const messaging = { pools, keys, box, ingest, clock, logger, metrics, config }
    let broker: EmbeddedBroker | null = null
    let external: ExternalBroker | null = null
    if (config.externalBroker) {
      const { url, username, password } = config.externalBroker
      if (config.roles.has('broker'))
        external = await joinExternalBroker(messaging, { url, username, password: password?.reveal() })
    } else {
      broker = await startEmbeddedBroker(messaging, {
        host: config.host,
        port: config.mqttPort,
        trustedProxies: config.trustedProxies,
        ...(tls ? { tls } : {}),
      }).catch((error) => {
        throw (error as { code?: string }).code === 'EADDRINUSE' ? new PortInUse('MQTT_PORT', config.mqttPort) : error
      })
    }
    const { metricsListen } = config
    if (metricsListen) {
      const listener = await listenForMetrics(metrics, metricsListen, config).catch((error) => {
        throw new ConfigError([`METRICS_LISTEN: cannot be listened on (${error.code}); name another address and port`])
      })
      stops.push(listener.close)
    }
    const live = createLive({ system: pools.system, keys, clock, logger, observe: (n) => metrics.liveStreams.set(n) })
    const deps: AppDeps = {
      config,
      pools,
      keys,
      clock,
      logger,
      metrics,
      store,
      ingest,
      live,
      box,
      http,
      mailer,
      vapid,
      publicUrl: publicUrl(config),
      mqttUrl: (requestHost) => mqttUrl(config, broker?.port ?? config.mqttPort, requestHost),
      resolveTxt: createTxtResolver(),
      isAlone: replicas.isAlone,
      isBrokerReady: () => broker !== null || external === null || external.isConnected(),
    }
    const { app } = createApp(deps)
    const { requestTimeoutSeconds: requestSeconds, trustedProxies } = config
    const server = createHttpServer({ fetch: app.fetch, tls, requestSeconds, trustedProxies })
    const closeServer = closable(server)
    const webSockets =
      broker &&
      serveMqttOverWebSocket(server, (stream, { socket, headers }) =>
        broker?.handle(stream, clientIp(socket.remoteAddress, headers['x-forwarded-for']?.toString() ?? null, trustedProxies)),
      )
    stops.push(async () => {
      const closed = closeServer()
      await live.stop()
      await broker?.close()
      await external?.close()
      webSockets?.close()
      await closed
    })
    await listen(server, config)
    const port = (server.address() as { port: number }).port
    const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host
    const url = `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
    logger.info(
      { url, mqtt_port: broker?.port, database: embedded ? 'embedded' : 'external', roles: [...config.roles] },
      'the hub is running',
    )
    return {
      url,
      port,
      mqttPort: broker?.port ?? null,
      databaseDir: embedded?.dataDir ?? null,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function readPem(setting: string, file: string): Promise<Buffer> {
  return readFile(file).catch((error) => {
    throw new ConfigError([`${setting}: ${file} cannot be read (${error.code})`])
  })
}

/** What agents are told: MQTT_PUBLIC_URL, or the broker's port on the host by which the hub was reached. */
function mqttUrl(config: HubConfig, port: number, requestHost: string | null): string {
  if (config.mqttPublicUrl) return config.mqttPublicUrl
  if (config.externalBroker) return config.externalBroker.url
  const base = config.publicUrl ?? (requestHost ? `http://${requestHost}` : `http://127.0.0.1:${config.port}`)
  const host = URL.canParse(base) ? new URL(base).hostname : '127.0.0.1'
  return `${config.tls ? 'mqtts' : 'mqtt'}://${host}:${port}`
}

const listen = (server: Server, config: HubConfig) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new PortInUse('PORT', config.port) : error),
    )
    server.listen(config.port, config.host, () => resolve())
  })

function onceAsync(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => {
    running ??= work()
    return running
  }
}
