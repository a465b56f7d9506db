import type { HubConfig } from './config.ts'
import type { DemoSignIn } from './features/people/accounts/index.ts'
import { startBroker } from './hub/broker.ts'
import { openDatabase } from './hub/database.ts'
import { serveHttp } from './hub/http.ts'
import { checkPorts, readTlsSettings } from './hub/listen.ts'
import { startServices } from './hub/services.ts'
import { Shutdown } from './hub/shutdown.ts'
import { type HubWithClock, hubWithClock } from './hub/with-clock.ts'
import { startJobs } from './jobs.ts'
import { createMetrics } from './metrics.ts'
import { type Clock, systemClock } from './support/clock.ts'
import { observeJobs } from './support/jobs.ts'
import type { Logger } from './support/logger.ts'

export interface RunningHub {
  /** the API's address on this machine */
  url: string
  port: number
  mqttPort: number | null
  /** directory of the embedded PostgreSQL, which may differ from the data directory; null when the database is external */
  databaseDir: string | null
  /** the same hub with another clock; null but in the hub of the demonstration */
  withClock: ((clock: Clock) => HubWithClock) | null
  /** stops accepting, finishes the work under way, then closes; later calls wait for the first */
  stop(): Promise<void>
}

/**
 * Starts the roles that the configuration names, in order. `stop` stops them in reverse order.
 * @param demo lets the address that `npm start` prints sign in
 */
export async function startHub(
  config: HubConfig,
  logger: Logger,
  clock: Clock = systemClock,
  demo?: DemoSignIn,
): Promise<RunningHub> {
  const shutdown = new Shutdown(logger)
  try {
    await checkPorts(config)
    const metrics = createMetrics()
    observeJobs(logger, metrics.observeJob)
    const parts = { clock, logger, metrics, shutdown, demo }
    const database = await openDatabase(config, parts)
    const services = await startServices(config, database, parts)
    shutdown.defer(() => services.erp.stop())
    shutdown.defer(startJobs(services))
    const tls = await readTlsSettings(config)
    const broker = await startBroker(services, database, tls)
    const { port, deps } = await serveHttp(services, database, broker, { tls, shutdown })
    // Before HTTP: requests that wait for a sync are answered.
    shutdown.defer(() => services.erp.stop())

    const { embeddedDir: databaseDir } = database
    const url = localUrl(config, port)
    logger.info(
      { url, mqtt_port: broker.port ?? undefined, database: databaseDir ? 'embedded' : 'external', roles: [...config.roles] },
      'the hub is running',
    )
    const withClock = demo ? (clock: Clock) => hubWithClock(deps, clock) : null
    return { url, port, mqttPort: broker.port, databaseDir, withClock, stop: () => shutdown.run() }
  } catch (error) {
    await shutdown.run()
    throw error
  }
}

function localUrl({ tls, host }: HubConfig, port: number): string {
  const local = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  return `${tls ? 'https' : 'http'}://${local.includes(':') ? `[${local}]` : local}:${port}`
}
