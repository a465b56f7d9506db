import type { Severity } from '../../../db/tables/alerts.ts'
import type { Audience, DeliveryEvent, SubjectKind } from '../../../db/tables/notifications.ts'
import type { FieldError } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import type { Mailer } from '../../../support/mail.ts'
import type { GuardedClient } from '../../../support/net/guarded-client.ts'
import type { VapidKey } from './push/vapid.ts'

/** What a channel is told: an alert, or a test (which has no machine). */
export interface Notice {
  type: 'alert' | 'test'
  event: DeliveryEvent
  /** constant over retries, so that receivers can tell a repeat */
  deliveryId: string
  message: string
  severity: Severity
  metricName: string
  triggerValue: number
  thresholdValue: number
  alert: { id: string; unit: string; triggeredAt: Date; createdAt: Date } | null
  machine: { id: string; name: string; identifier: string; location: string | null } | null
  /** for a ticketing channel: what the ticket is about, the same for all alerts of one machine, metric and unit */
  ticket?: Ticket
  /** for a people's channel: it tells of several alerts, of which `machine` and the numbers are the first one's */
  group?: Group
}

export interface Group {
  /** alerts that are neither acknowledged nor cleared */
  total: number
  /** the worst, then the oldest; at most 9 */
  shown: { severity: Severity; message: string }[]
}

export interface Ticket {
  /** letters, digits and dashes, at most 64 */
  key: string
  /** the ticket that the last alert with this key went to, as its tool names it */
  knownId: string | null
}

/** How an attempt ended. Transient ones are tried again, after `retryAfterSeconds` at the earliest; permanent ones are not. */
export type DeliveryOutcome =
  | { kind: 'delivered'; responseStatus?: number; ticketId?: string }
  | {
      kind: 'transient' | 'permanent'
      error: string
      responseStatus?: number
      retryAfterSeconds?: number
      /** a browser's subscription that is no more: it is forgotten */
      isGone?: boolean
    }

/** What the runner passes in; an adapter has nothing else. */
export interface ChannelTools {
  http: GuardedClient
  mailer: Mailer
  now: Date
  /** the IANA time zone of the tenant's user with this e-mail address; `UTC` where there is none */
  timeZoneOf(email: string): Promise<string>
  /** where people reach the hub, for links; no slash at the end */
  publicUrl: string
  /** null: web push is switched off */
  vapid: VapidKey | null
}

/**
 * A channel type: one file under channels/, one line in registry.ts. It states its configuration and which parts are secret, does one
 * delivery, and returns an outcome. Retries, masking, encryption and the guard against private addresses live in the runner.
 */
export interface Channel<Config> {
  /** the vendor's name for the tool; absent where the type is no vendor's */
  product?: string
  /** who receives: programs and incident tools each alert as it commits, ticketing tools in order, people a digest of many */
  audience: Audience
  /** whether it also receives that an alert was acknowledged or cleared */
  followsAlert: boolean
  /** what its deliveries are about at the receiver, which go out in order; null: each stands alone */
  subjectKind: SubjectKind | null
  /** sends by the hub's mail server, which all tenants share */
  isMail?: true
  config: z.ZodType<Config>
  /** keys of the configuration that are masked; of a map, every value is */
  secrets: readonly (keyof Config & string)[]
  /** those of them that are URLs with a secret in the path: their origin is shown */
  secretUrls?: readonly (keyof Config & string)[]
  /** where the secrets go: when this changes they have to be entered again. Null where the address is not the tenant's choice */
  target(config: Config): string | null
  /** what the shape cannot say, such as an address that is not allowed; paths inside the configuration */
  check?(config: Config, http: GuardedClient): FieldError[]
  deliver(notice: Notice, config: Config, tools: ChannelTools): Promise<DeliveryOutcome>
}
