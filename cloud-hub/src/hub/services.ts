import path from 'node:path'
import { type HubConfig, publicUrl } from '../config.ts'
import type { Pools } from '../db/pools.ts'
import { DeliveryWorker, loadVapidKey, type VapidKey, vapidContact } from '../features/delivery/notifications/index.ts'
import { ErpRunner } from '../features/exchange/sync/index.ts'
import { startMailing } from '../features/mails/index.ts'
import { type DemoSignIn, loadRecoveryCodeKeys, loadSigningKeys, type SigningKeys } from '../features/people/accounts/index.ts'
import { Refusals } from '../features/people/audit/index.ts'
import { Flusher, type Ingest, IngestQueue } from '../features/telemetry/ingest/index.ts'
import { startPolling } from '../features/telemetry/polling/index.ts'
import { type AttachmentStore, FileChecker, openStore } from '../features/work/attachments/index.ts'
import type { Metrics } from '../metrics.ts'
import { packedStore, type ReadingStore, Sealer, SealHints, SHARING_MACHINES } from '../readings/index.ts'
import type { Clock } from '../support/clock.ts'
import { OperatorError } from '../support/errors.ts'
import { Spool } from '../support/http/spool.ts'
import type { Logger } from '../support/logger.ts'
import { createMailer, type Mailer } from '../support/mail.ts'
import { createGuardedClient, type GuardedClient } from '../support/net/guarded-client.ts'
import type { SecretBox } from '../support/secrets/secret-box.ts'
import type { Database } from './database.ts'
import type { Shutdown } from './shutdown.ts'

/** The services that requests, messages and jobs use. */
export interface Services {
  config: HubConfig
  clock: Clock
  logger: Logger
  metrics: Metrics
  refusals: Refusals
  pools: Pools
  box: SecretBox
  keys: SigningKeys
  http: GuardedClient
  mailer: Mailer
  files: { store: AttachmentStore; checker: FileChecker; spool: Spool }
  /** null: web push is disabled */
  vapid: VapidKey | null
  store: ReadingStore
  /** null: this hub does not have the worker role */
  sealer: Sealer | null
  ingest: Ingest
  erp: ErpRunner
  /** the hub's public address for links; no slash at the end */
  publicUrl: string
  /** undefined but in the hub of the demonstration */
  demo: DemoSignIn | undefined
}

/** What the hub has before its database. */
interface Parts {
  clock: Clock
  logger: Logger
  metrics: Metrics
  shutdown: Shutdown
  demo: DemoSignIn | undefined
}

/** Builds the services. In a hub with the worker role, deliveries, polling and mails start too. */
export async function startServices(
  config: HubConfig,
  { pools, systemLogin, box, allReadArrivals }: Database,
  { clock, logger, metrics, shutdown, demo }: Parts,
): Promise<Services> {
  const isWorker = config.roles.has('worker')
  await loadRecoveryCodeKeys(pools.system, box)
  const keys = await loadSigningKeys(pools.system, box)
  const http = createGuardedClient({ allow: config.outboundAllow })
  shutdown.defer(() => http.close())
  const mailer = createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom, dataDir: config.dataDir, clock, logger })
  shutdown.defer(() => mailer.close())
  const files = { store: await openStore(config.attachments.store), checker: new FileChecker(), spool: await openSpool(config) }
  shutdown.defer(() => Promise.all([files.store.close(), files.spool.close()]))
  const outbox = { allTenants: pools.system, listen: pools.listen, box, mailer, clock, logger }
  const contact = vapidContact(publicUrl(config), config.mailFrom)
  const vapid = config.webPush ? await loadVapidKey(pools.system, box, contact) : null
  const delivery = { ...outbox, http, publicUrl: publicUrl(config), vapid, observe: metrics.observeDelivery }
  const worker = isWorker ? await DeliveryWorker.start(delivery) : null
  shutdown.defer(() => worker?.stop())
  const hints = new SealHints()
  const sealer = isWorker ? new Sealer({ login: systemLogin, hints, clock, logger, metrics }) : null
  shutdown.defer(() => sealer?.stop())
  const store = packedStore({ hints, sharedFrom: () => (allReadArrivals() ? SHARING_MACHINES : Number.POSITIVE_INFINITY) })
  const { baselineIntervalSeconds, machineOfflineAfterSeconds } = config
  const flusher = new Flusher({ ingest: pools.ingest, clock, store, baselineIntervalSeconds, machineOfflineAfterSeconds, worker })
  const ingest = new IngestQueue(flusher, logger, { observe: metrics.observeFlush, observeRejections: metrics.observeRejections })
  shutdown.defer(() => ingest.drain())
  if (isWorker) {
    shutdown.defer(await startPolling({ pools, ingest, box, http, clock, logger, config }))
    shutdown.defer(await startMailing(outbox))
  }
  const refusals = new Refusals({ allTenants: pools.system, clock, logger, metrics })
  const shared = { config, clock, logger, metrics, refusals, pools, box, keys, http, mailer, files, vapid, demo }
  const erp = new ErpRunner({ pools, box, http, clock, logger, metrics, store, config })
  return { ...shared, store, sealer, ingest, erp, publicUrl: publicUrl(config) }
}

/** Uploads are received in the data directory. */
const openSpool = (config: HubConfig): Promise<Spool> =>
  Spool.open(path.join(config.dataDir, 'spool')).catch((error) => {
    throw new OperatorError(
      `DATA_DIR: ${config.dataDir} is not writable (${(error as NodeJS.ErrnoException).code}); uploads are received there`,
    )
  })
