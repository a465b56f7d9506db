import type { Hono } from 'hono'
import packageJson from '../package.json' with { type: 'json' }
import { API_INFO } from './api-info.ts'
import type { HubConfig } from './config.ts'
import { mountConsole } from './console-files.ts'
import { lockRulesExclusive } from './db/advisory-locks.ts'
import { transientDbError } from './db/errors.ts'
import type { Pools } from './db/pools.ts'
import { acquireQuota } from './db/replicas.ts'
import type { TenantScope } from './db/scope.ts'
import { mountDocs } from './docs/index.ts'
import { enrolmentRoutes } from './features/agents/enrolment/index.ts'
import { agentRoutes } from './features/agents/fleet/index.ts'
import { updateRoutes } from './features/agents/updates/index.ts'
import { alertRoutes } from './features/alerting/alerts/index.ts'
import { escalationRoutes } from './features/alerting/escalation/index.ts'
import { resetRuleStates } from './features/alerting/evaluation/index.ts'
import { backtestRoutes, compositeRoutes, ruleRoutes, suggestionRoutes } from './features/alerting/rules/index.ts'
import { ALERT_WEBHOOK, notificationRoutes, type VapidKey } from './features/delivery/notifications/index.ts'
import { erpRoutes } from './features/exchange/connections/index.ts'
import type { ErpRunner } from './features/exchange/sync/index.ts'
import { accountRoutes, createIdentify, type DemoSignIn, type SigningKeys, scopeOf } from './features/people/accounts/index.ts'
import { auditRoutes, type Refusals } from './features/people/audit/index.ts'
import { createRunOnce } from './features/people/idempotency/index.ts'
import { settingsRoutes } from './features/people/settings/index.ts'
import { mountSsoPage, ssoRoutes } from './features/people/sso/index.ts'
import { tokenRoutes } from './features/people/tokens/index.ts'
import { userRoutes } from './features/people/users/index.ts'
import { createGroupGate, groupRoutes } from './features/plant/machine-groups/index.ts'
import { machineRoutes } from './features/plant/machines/index.ts'
import { anomalyRoutes } from './features/predictions/anomalies/index.ts'
import { predictionRoutes, providerClient } from './features/predictions/health/index.ts'
import { detectionRoutes } from './features/production/detection/index.ts'
import { downtimeRoutes } from './features/production/downtime/index.ts'
import { figuresRoutes } from './features/production/figures/index.ts'
import { fleetRoutes } from './features/production/fleet/index.ts'
import { oeeRoutes, siteHasCalendar } from './features/production/oee/index.ts'
import { plantSettingsRoutes } from './features/production/plant-settings/index.ts'
import { reasonCodeRoutes } from './features/production/reason-codes/index.ts'
import { shiftRoutes } from './features/production/shifts/index.ts'
import { searchRoutes } from './features/search/index.ts'
import { bootstrapRoutes, type Live, liveRoutes } from './features/stream/index.ts'
import { baselineRoutes } from './features/telemetry/baselines/index.ts'
import { type Ingest, ingestRoutes } from './features/telemetry/ingest/index.ts'
import { pollingRoutes } from './features/telemetry/polling/index.ts'
import { readingRoutes } from './features/telemetry/readings/index.ts'
import { tagMappingRoutes } from './features/telemetry/tag-mappings/index.ts'
import { type AttachmentStore, attachmentRoutes, type FileChecker } from './features/work/attachments/index.ts'
import { calendarRoutes, mountCalendars } from './features/work/calendars/index.ts'
import { certificateRoutes, mountVerificationPage } from './features/work/certificates/index.ts'
import { checklistRoutes } from './features/work/checklists/index.ts'
import { maintenanceRoutes } from './features/work/maintenance/index.ts'
import { hasNotesOfOthers, noteRoutes } from './features/work/notes/index.ts'
import { workOrderRoutes } from './features/work/orders/index.ts'
import { certificateJwks, signoffRoutes } from './features/work/signoffs/index.ts'
import type { Metrics } from './metrics.ts'
import { metricsAccessOf } from './metrics-page.ts'
import { mountPages } from './pages.ts'
import type { ReadingStore } from './readings/index.ts'
import type { Clock } from './support/clock.ts'
import { Unavailable } from './support/errors.ts'
import { clientIp, clientOf, isForwardedHttps } from './support/http/client-ip.ts'
import { DistributedRateLimit } from './support/http/distributed-rate-limit.ts'
import { createHttpApp, type Env, limitTime } from './support/http/http-app.ts'
import { type MountOptions, mountRoutes } from './support/http/mount.ts'
import { openApiDocument } from './support/http/openapi.ts'
import { type RateBucket, type Route, routeFor } from './support/http/route.ts'
import type { Spool } from './support/http/spool.ts'
import { staticFile } from './support/http/static-file.ts'
import { z } from './support/http/z.ts'
import type { Logger } from './support/logger.ts'
import type { Mailer } from './support/mail.ts'
import type { GuardedClient } from './support/net/guarded-client.ts'
import type { SecretBox } from './support/secrets/secret-box.ts'
import { shareInFlight } from './support/share-in-flight.ts'
import { withTimeout } from './support/timeout.ts'

const { version } = packageJson

/** The services from which the features are built. */
export interface AppDeps {
  config: HubConfig
  pools: Pools
  keys: SigningKeys
  clock: Clock
  logger: Logger
  metrics: Metrics
  refusals: Refusals
  store: ReadingStore
  ingest: Ingest
  live: Live
  erp: ErpRunner
  box: SecretBox
  http: GuardedClient
  mailer: Mailer
  /** where attachments are stored, and where uploads are received */
  files: { store: AttachmentStore; checker: FileChecker; spool: Spool }
  /** null: web push is disabled */
  vapid: VapidKey | null
  /** the hub's public address for links; no slash at the end */
  publicUrl: string
  /** the broker's address for agents, given the host name of the request */
  mqttUrl(requestHost: string | null): string
  isBrokerReady(): boolean
  /** queries the DNS; see features/people/sso/verify-domain.ts */
  resolveTxt(name: string): Promise<string[][]>
  /** undefined but in the hub of the demonstration */
  demo?: DemoSignIn | undefined
  /** no other hub shares the database */
  isAlone(): boolean
}

const sharedLimit = ({ isAlone, pools }: Pick<AppDeps, 'isAlone' | 'pools'>) =>
  new DistributedRateLimit({ isAlone, acquireQuota: (...asked) => acquireQuota(pools.system, ...asked) })

/** Every operation of the hub: the table of contents of /api/v1. Building it uses no database. */
export function allRoutes(deps: AppDeps): Route<TenantScope>[] {
  const routes: Route<TenantScope>[] = featureRoutes(deps)
  routes.push(documentRoute(() => apiDocumentText(routes)))
  return routes
}

const featureRoutes = (deps: AppDeps): Route<TenantScope>[] => [
  ...accountRoutes(deps),
  ...userRoutes(deps),
  ...tokenRoutes({ pools: deps.pools, box: deps.box, publicUrl: deps.publicUrl, groups: createGroupGate(deps) }),
  ...settingsRoutes(deps),
  ...ssoRoutes(deps),
  ...auditRoutes(),
  ...machineRoutes({ lock: lockRulesExclusive, clear: resetRuleStates }),
  ...groupRoutes(siteHasCalendar, hasNotesOfOthers),
  ...tagMappingRoutes(),
  ...readingRoutes(deps.store, deps.config.requestTimeoutSeconds),
  ...baselineRoutes(),
  ...predictionRoutes({
    provider: deps.config.narrativeProvider,
    http: providerClient(),
    limit: sharedLimit(deps),
    clock: deps.clock,
    logger: deps.logger,
  }),
  ...anomalyRoutes(deps.store),
  ...ingestRoutes(deps.ingest),
  ...pollingRoutes(deps),
  ...ruleRoutes(),
  ...compositeRoutes(),
  ...suggestionRoutes(deps.store),
  ...backtestRoutes(deps.store, deps.config.machineOfflineAfterSeconds),
  ...escalationRoutes(),
  ...alertRoutes(),
  ...liveRoutes(deps),
  ...bootstrapRoutes(),
  ...searchRoutes(),
  ...notificationRoutes(deps),
  ...agentRoutes(deps),
  ...updateRoutes(deps),
  ...enrolmentRoutes(deps),
  ...workOrderRoutes(),
  ...signoffRoutes(deps),
  ...maintenanceRoutes(),
  ...noteRoutes(),
  ...checklistRoutes(),
  ...calendarRoutes(deps),
  ...attachmentRoutes(deps),
  ...certificateRoutes(deps),
  ...detectionRoutes(),
  ...reasonCodeRoutes(),
  ...downtimeRoutes(),
  ...fleetRoutes(deps),
  ...figuresRoutes(deps),
  ...plantSettingsRoutes(),
  ...shiftRoutes(),
  ...oeeRoutes(deps),
  ...erpRoutes(deps),
]

/** Serves the API document. The first request compresses it; later ones use the cached bytes. */
function documentRoute(text: () => string): Route<TenantScope> {
  const answer = staticFile(async () => new TextEncoder().encode(text()), 'application/json', 'no-cache')
  const describe = {
    method: 'get',
    path: '/openapi.json',
    operation: 'getApiDocument',
    access: 'none',
    tag: 'API document',
    summary: 'This document',
    description: 'OpenAPI 3.1 as JSON, made from the operations that this hub has mounted. `/docs` shows it as a page.',
  } as const
  const Document = z
    .looseObject({ openapi: z.string().describe('The version of the OpenAPI specification that the document follows.') })
    .openapi({ example: { openapi: '3.1.0' } })
  return routeFor<TenantScope>()(
    { ...describe, returns: Document },
    async ({ caller }) => (await answer(caller.headers)) as never,
  )
}

/** The API document of a hub. */
export const apiDocument = (routes: readonly Route<TenantScope>[]) =>
  openApiDocument(routes, { ...API_INFO, version, webhooks: [ALERT_WEBHOOK], scopeOf })

const documentTexts = new WeakMap<readonly Route<TenantScope>[], string>()

/** The API document as JSON. It is built once for the same routes, which occupies the thread for 0.2 s. */
export function apiDocumentText(routes: readonly Route<TenantScope>[]): string {
  const text = documentTexts.get(routes) ?? JSON.stringify(apiDocument(routes))
  documentTexts.set(routes, text)
  return text
}

/** Requests per rolling minute: the same for all tenants, and by subscription tier (ingest has only the first). */
const FLAT_LIMITS: Record<RateBucket, number> = { reads: 600, writes: 120, ingest: 240 }
const TIER_LIMITS: Record<string, { reads: number; writes: number }> = {
  free: { reads: 300, writes: 60 },
  pro: { reads: 1_500, writes: 300 },
  enterprise: { reads: 6_000, writes: 1_200 },
}

/** Pages that read from the database or the storage, below the paths of `mountPages` and its siblings. */
const READING_PAGES = ['/calendars/*', '/verify/*', '/.well-known/*']

/** A readiness check answers within this time. */
const READY_MS = 2_000

export function createApp(
  deps: AppDeps,
  options: { checkAnswers?: boolean } = {},
): { app: Hono<Env>; routes: Route<TenantScope>[] } {
  const { config, clock } = deps
  const limits = sharedLimit(deps)
  const mount: MountOptions<TenantScope> = {
    logger: deps.logger,
    identify: createIdentify(deps.pools, deps.keys, clock, createGroupGate(deps)),
    limit: (identity, bucket) => {
      const byTier =
        config.rateLimitScheme === 'tier' && bucket !== 'ingest' ? TIER_LIMITS[identity.tier ?? '']?.[bucket] : undefined
      return limits.hit(`${bucket} ${identity.subject}`, byTier ?? FLAT_LIMITS[bucket], clock.now().getTime())
    },
    isLimited: (subject, bucket) => limits.isFull(`${bucket} ${subject}`, clock.now().getTime()),
    clientIp: (socket, headers) => clientIp(socket, headers.get('x-forwarded-for'), config.trustedProxies),
    isHttps: (socket, headers) =>
      config.tls !== undefined ||
      config.publicUrl?.startsWith('https:') === true ||
      isForwardedHttps(socket, headers.get('x-forwarded-proto'), config.trustedProxies),
    trustedProxies: config.trustedProxies,
    translate: (error) => {
      const found = transientDbError(error)
      return found && new Unavailable(found.code, found.detail)
    },
    runOnce: createRunOnce(deps.box),
    requestSeconds: config.requestTimeoutSeconds,
    observe: deps.metrics.observeRequest,
    observeRefusal: (reason, ip, path, caller) =>
      deps.refusals.observe({ reason, ip, path, by: caller as TenantScope | undefined }),
    ...options,
  }
  const app = createHttpApp(mount)
  for (const pages of READING_PAGES) app.get(pages, limitTime(config.requestTimeoutSeconds))
  const routes = config.roles.has('api') ? allRoutes(deps) : []
  mountPages(app, {
    keys: deps.keys,
    certificateKeys: shareInFlight(() => certificateJwks(deps.pools.system, deps.box)),
    metrics: deps.metrics,
    metricsAccess: metricsAccessOf(config),
    notReady: async () => {
      const isDatabaseHere = await withTimeout(READY_MS, deps.pools.system`select 1`).then(
        () => true,
        () => false,
      )
      return [...(isDatabaseHere ? [] : ['database']), ...(deps.isBrokerReady() ? [] : ['broker'])]
    },
  })
  if (config.roles.has('api')) {
    mountDocs(app, () => apiDocumentText(routes))
    const may = async (ip: string, bucket: RateBucket) => (await mount.limit({ subject: `ip:${clientOf(ip)}` }, bucket)).ok
    mountSsoPage(app, { ...deps, mayPost: (ip) => may(ip, 'writes') })
    mountCalendars(app, { ...deps, mayRead: (ip) => may(ip, 'reads') })
    mountVerificationPage(app, { ...deps, mayRead: (ip) => may(ip, 'reads') })
  }
  mountRoutes(app, routes, mount)
  // last: it answers every path that is left
  if (config.roles.has('api')) mountConsole(app)
  return { app, routes }
}
