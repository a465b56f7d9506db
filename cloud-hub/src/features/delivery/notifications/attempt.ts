import { type Fault, fault } from '@haltless/protocol/faults'
import type { Sql } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'
import type { Logger } from '../../../support/logger.ts'
import type { Mailer } from '../../../support/mail.ts'
import type { GuardedClient } from '../../../support/net/guarded-client.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { uuidv7 } from '../../../support/uuid.ts'
import type { ChannelTools, DeliveryOutcome, Notice } from './channel.ts'
import { type ClaimedDelivery, MAX_RETRY_AFTER_SECONDS } from './claim.ts'
import { readableFault } from './hide-secrets.ts'
import { openConfig } from './manage-channel.ts'
import { endIfRefused } from './push/subscriptions.ts'
import type { VapidKey } from './push/vapid.ts'
import { channelOf } from './registry.ts'

export interface AttemptDeps {
  /** system role: deliveries of all tenants */
  allTenants: Sql
  box: SecretBox
  http: GuardedClient
  mailer: Mailer
  /** the hub's public URL, without a trailing slash */
  publicUrl: string
  /** null: web push is switched off */
  vapid: VapidKey | null
  clock: Clock
  logger: Logger
  observe(channelType: string, outcome: string): void
}

/** Delays before attempts 2 to 8: about six hours in all. */
const RETRY_SECONDS = [5, 30, 120, 600, 1_800, 5_400, 13_500]

/** Returns the seconds until the next attempt, with a jitter of 20 %; null when there is none. */
function retryDelay(attempt: number, retryAfterSeconds: number | undefined): number | null {
  const base = RETRY_SECONDS[attempt - 1]
  if (base === undefined) return null
  return Math.max(base * (0.8 + 0.4 * Math.random()), Math.min(retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS))
}

/**
 * Makes one attempt and records it. An inline delivery is prepared while its flush commits. Nothing is sent before `committed`
 * resolves. When it rejects, nothing is sent or recorded.
 * @throws Error when the attempt could not be recorded: the delivery is due again after its lease
 */
export async function attempt(deps: AttemptDeps, claimed: ClaimedDelivery, committed?: Promise<void>): Promise<void> {
  const { tenantId, channel } = claimed
  const timeZoneOf = (email: string) => timeZoneOfUser(deps.allTenants, tenantId, email)
  const reason = reasonNotToSend(claimed)
  const outcome: DeliveryOutcome = reason
    ? { kind: 'permanent', fault: reason }
    : await deliverSafely(
        { ...deps, timeZoneOf, ...guardedTransports(deps, ownerOf(channel), committed) },
        claimed.notice,
        channel.type,
        () => openOnce(deps.box, claimed),
      )
  const isStored = await Promise.resolve(committed).then(
    () => true,
    () => false,
  )
  if (!isStored) return
  deps.observe(channel.type, outcome.kind)
  const hasEnded =
    channel.type === 'push' && (await endIfRefused(deps.allTenants, deps.clock.now(), { tenantId, id: channel.id }, outcome))
  if (!hasEnded) await record(deps.allTenants, deps.clock.now(), claimed, outcome)
}

function reasonNotToSend({ channel, isRaiseAccepted }: ClaimedDelivery): Fault | null {
  if (!channel.isActive) return fault('channel_off')
  return isRaiseAccepted ? null : fault('raise_not_accepted')
}

async function timeZoneOfUser(allTenants: Sql, tenantId: string, email: string): Promise<string> {
  const [user] = await allTenants<{ timeZone: string | null }[]>`
    select timezone as "timeZone" from users where tenant_id = ${tenantId} and lower(email) = lower(${email}) and is_active`
  return user?.timeZone ?? 'UTC'
}

/** Decrypted configurations of cached channels. This process holds the key of all of them anyway. */
const opened = new WeakMap<ClaimedDelivery['channel'], Record<string, unknown>>()
function openOnce(box: SecretBox, { tenantId, channel }: ClaimedDelivery): Record<string, unknown> {
  const config = opened.get(channel) ?? openConfig(box, { tenantId, id: channel.id, sealedConfig: channel.sealedConfig })
  opened.set(channel, config)
  return config
}

/**
 * Only receivers that recognise a repeat by its id may reuse a connection: elsewhere a repeat would reach people twice or open a
 * second ticket.
 */
const ownerOf = ({ id, type }: ClaimedDelivery['channel']) =>
  ['program', 'incident'].includes(channelOf(type).audience) ? id : undefined

/**
 * The transports of an adapter; they send nothing until the transaction has committed. With an `owner`, requests reuse the
 * connections of the same channel.
 */
function guardedTransports(
  { http, mailer }: Pick<AttemptDeps, 'http' | 'mailer'>,
  owner: string | undefined,
  after?: Promise<void>,
) {
  const givenUp = { ok: false, isPermanent: false, fault: fault('delivery_cancelled') } as const
  return {
    http: {
      ...http,
      request: (url, request) => http.request(url, { ...request, ...(owner && { owner }), ...(after && { after }) }),
    } satisfies GuardedClient,
    mailer: {
      ...mailer,
      send: (mail) =>
        Promise.resolve(after).then(
          () => mailer.send(mail),
          () => givenUp,
        ),
    } satisfies Mailer,
  }
}

async function record(allTenants: Sql, now: Date, claimed: ClaimedDelivery, outcome: DeliveryOutcome): Promise<void> {
  const delay = outcome.kind === 'transient' ? retryDelay(claimed.attempts, outcome.retryAfterSeconds) : null
  const ticketId = outcome.kind === 'delivered' ? (outcome.ticketId ?? null) : null
  const status = outcome.kind === 'delivered' ? 'delivered' : delay === null ? 'refused' : 'waiting'
  // the next delivery of the same subject, which was deferred until this one has ended
  const next =
    claimed.hasSubject && status !== 'waiting'
      ? allTenants`, next as (
      update deliveries n set due_at = ${now} from ended e where n.tenant_id = e.tenant_id and n.due_at > ${now} and n.attempts = 0 and n.id = (
        select w.id from deliveries w
        where w.tenant_id = e.tenant_id and w.channel_id = ${claimed.channel.id} and w.subject = e.subject and w.subject is not null and w.status = 'waiting'
          and w.id <> e.id order by w.event <> 'raised', w.id limit 1))`
      : allTenants``
  // Deleting a channel deletes its attempts too. When a lease expired, the delivery belongs to the worker that claimed it since.
  await allTenants`
    with channel as materialized (
      select tenant_id, id from notification_channels where tenant_id = ${claimed.tenantId} and id = ${claimed.channel.id} for key share
    ), told as (
      select ${claimed.id}::uuid as id, ${claimed.alertId}::uuid as alert_id, ${uuidv7(now.getTime())}::uuid as attempt_id
      union all
      select d.id, d.alert_id, uuidv7() from deliveries d where d.tenant_id = ${claimed.tenantId} and d.lead_id = ${claimed.id}
    ), noted as (
      insert into delivery_attempts (id, tenant_id, channel_id, delivery_id, alert_id, event, attempt, status, response_status, error, fault, attempted_at)
      select t.attempt_id, c.tenant_id, c.id, t.id, t.alert_id, ${claimed.notice.event}, ${claimed.attempts}::int,
        ${outcome.kind === 'delivered' ? 'delivered' : 'failed'}, ${outcome.responseStatus ?? null}::int,
        ${outcome.kind === 'delivered' ? null : outcome.fault.detail}::text, ${outcome.kind === 'delivered' ? null : allTenants.json(outcome.fault as never)}::jsonb, ${now} from channel c, told t
    ), ended as (
      update deliveries d set status = ${status}, due_at = ${new Date(now.getTime() + (delay ?? 0) * 1000)}, ticket_id = coalesce(${ticketId}, d.ticket_id),
        subject = coalesce(d.subject, ${claimed.notice.ticket?.key ?? null})
      from channel c where d.tenant_id = c.tenant_id and d.id = ${claimed.id} and d.attempts = ${claimed.attempts}
      returning d.tenant_id, d.id, d.subject
    )${next}
    update deliveries d set status = ${status} from ended e where d.tenant_id = e.tenant_id and d.lead_id = e.id and ${status !== 'waiting'}`
}

/** Delivers, and turns any exception of an adapter or of decryption into a failure of this delivery alone. */
export async function deliverSafely(
  deps: Pick<AttemptDeps, 'http' | 'mailer' | 'publicUrl' | 'vapid' | 'clock' | 'logger'> & Pick<ChannelTools, 'timeZoneOf'>,
  notice: Notice,
  channelType: string,
  open: () => Record<string, unknown>,
): Promise<DeliveryOutcome> {
  const { http, mailer, publicUrl, vapid, clock, timeZoneOf } = deps
  try {
    const [channel, config] = [channelOf(channelType), open()]
    const outcome = await channel.deliver(notice, config, { http, mailer, publicUrl, vapid, timeZoneOf, now: clock.now() })
    return outcome.kind === 'delivered' ? outcome : { ...outcome, fault: readableFault(outcome.fault, channel.secrets, config) }
  } catch (error) {
    deps.logger.error({ err: error, channel_type: channelType }, 'a channel failed')
    return { kind: 'transient', fault: fault('delivery_failed') }
  }
}
