import type { Fault } from '@haltless/protocol/faults'
import type { Severity } from '../../../db/enums.ts'
import type { Audience, DeliveryEvent, SubjectKind } from '../../../db/tables/notifications.ts'
import type { FieldError } from '../../../support/errors.ts'
import type { z } from '../../../support/http/z.ts'
import type { Mailer } from '../../../support/mail.ts'
import type { GuardedClient } from '../../../support/net/guarded-client.ts'
import type { VapidKey } from './push/vapid.ts'

/** The message for a channel: an alert, or a test (which has no machine). */
export interface Notice {
  type: 'alert' | 'test'
  event: DeliveryEvent
  /** constant over retries, so that receivers recognise a repeat */
  deliveryId: string
  message: string
  severity: Severity
  metricName: string
  triggerValue: number
  thresholdValue: number
  alert: { id: string; unit: string; triggeredAt: Date; createdAt: Date } | null
  machine: { id: string; name: string; identifier: string; location: string | null } | null
  /** for a ticketing channel: identifies the ticket of all alerts with this machine, metric and unit */
  ticket?: Ticket
  /** for a human-facing channel: a digest of several alerts; `machine` and the numbers are those of the first */
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
  /** the tool's id of the ticket that the last alert with this key went to */
  knownId: string | null
}

/** The outcome of an attempt. A transient failure is retried after `retryAfterSeconds` at the earliest, a permanent one is not. */
export type DeliveryOutcome =
  | { kind: 'delivered'; responseStatus?: number; ticketId?: string }
  | {
      kind: 'transient' | 'permanent'
      fault: Fault
      responseStatus?: number
      retryAfterSeconds?: number
      /** the browser has ended its subscription, so its channel is deleted */
      isGone?: boolean
    }

/** What the runner passes in; an adapter has nothing else. */
export interface ChannelTools {
  http: GuardedClient
  mailer: Mailer
  now: Date
  /** the IANA time zone of the tenant's user with this e-mail address; `UTC` where there is none */
  timeZoneOf(email: string): Promise<string>
  /** the hub's public URL for links, without a trailing slash */
  publicUrl: string
  /** null: web push is switched off */
  vapid: VapidKey | null
}

/**
 * A channel type: one file under channels/, one line in registry.ts. It states its configuration and which parts are secret, does one
 * delivery, and returns an outcome. Retries, masking, encryption and the guard against private addresses live in the runner.
 */
export interface Channel<Config> {
  /** the tool's product name; absent for generic types */
  product?: string
  /** programs and incident tools receive each alert as it commits, ticketing tools in order, people digests */
  audience: Audience
  /** whether it also receives acknowledged and cleared events */
  followsAlert: boolean
  /** the subject within which deliveries keep their order; null: each delivery is independent */
  subjectKind: SubjectKind | null
  /** uses the hub's mail server, which all tenants share */
  isMail?: true
  config: z.ZodType<Config>
  /** keys of the configuration that are masked; of a map, every value is */
  secrets: readonly (keyof Config & string)[]
  /** secrets that are URLs with a secret path: the mask keeps their origin */
  secretUrls?: readonly (keyof Config & string)[]
  /** where the secrets are sent: a change of it requires them again. Null where the tenant does not choose the address */
  target(config: Config): string | null
  /** reports faults that the schema cannot express, such as a forbidden address; paths are relative to the configuration */
  check?(config: Config, http: GuardedClient): FieldError[]
  deliver(notice: Notice, config: Config, tools: ChannelTools): Promise<DeliveryOutcome>
}
