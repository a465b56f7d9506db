import { fault } from '@haltless/protocol/faults'
import webPush from 'web-push'
import { z } from '../../../../support/http/z.ts'
import type { Channel, ChannelTools, DeliveryOutcome, Notice } from '../channel.ts'
import { outcomeOf } from '../http-outcome.ts'
import { alertLink, oneLine, truncate, truncateLine } from '../notice-text.ts'
import { originOf } from '../vendor-address.ts'

/** A browser's subscription: /push/subscribe creates and deletes it, the channel API does not show it. */
export const PushConfig = z.object({ endpoint: z.string(), p256dh: z.string(), auth: z.string() })
type Config = z.output<typeof PushConfig>

const URGENCY = { critical: 'high', warning: 'normal', info: 'low' } as const
/** For how long a service keeps it for a browser that is away. */
const TTL_SECONDS = 24 * 3_600
/** What fits into the one record of 4,096 bytes that push services take. */
const MAX_BYTES = 3_993

/** What a service worker shows: a repeat has the same `tag` and replaces the first. */
export interface BrowserMessage {
  title: string
  body: string
  severity: Notice['severity']
  machine: { id: string; name: string } | null
  alert_id: string | null
  work_order_id: string | null
  maintenance_event_id: string | null
  link: string
  tag: string
}

function alertMessage(notice: Notice, publicUrl: string): BrowserMessage {
  const { machine, group } = notice
  const title = group || !machine ? `Haltless: ${notice.severity}` : `${truncateLine(machine.name, 100)}: ${notice.severity}`
  return {
    title,
    body: truncate([notice, ...(group?.shown ?? [])].map(({ message }) => oneLine(message)).join('\n'), 600),
    severity: notice.severity,
    machine: group || !machine ? null : { id: machine.id, name: truncateLine(machine.name, 100) },
    alert_id: group ? null : (notice.alert?.id ?? null),
    work_order_id: null,
    maintenance_event_id: null,
    link: alertLink(notice, publicUrl) ?? publicUrl,
    tag: notice.deliveryId,
  }
}

/**
 * Sends one message to one browser. Its `tag` is a UUID that is constant over retries.
 * Source: RFC 8030, 5 (`TTL`, `Urgency`, `Topic`; 201), RFC 8291 (encryption), RFC 8292 (VAPID); 404 and 410 say that a subscription is gone
 */
export async function sendToBrowser(
  message: BrowserMessage,
  { endpoint, p256dh, auth }: Config,
  { http, now, vapid }: Pick<ChannelTools, 'http' | 'now' | 'vapid'>,
): Promise<DeliveryOutcome> {
  if (!vapid) return { kind: 'permanent', fault: fault('web_push_off') }
  const payload = Buffer.from(JSON.stringify(message))
  if (payload.length > MAX_BYTES) throw new Error('a push message is too long')
  const { cipherText } = webPush.encrypt(p256dh, auth, payload, 'aes128gcm')
  const answer = await http.request(endpoint, {
    method: 'POST',
    headers: {
      authorization: await vapid.authorization(endpoint, now),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(TTL_SECONDS),
      urgency: URGENCY[message.severity],
      topic: message.tag.replaceAll('-', ''),
    },
    body: cipherText,
  })
  const outcome = outcomeOf(answer)
  const isGone = answer.ok && (answer.status === 404 || answer.status === 410)
  return isGone && outcome.kind === 'permanent' ? { ...outcome, isGone } : outcome
}

/** Web push of alerts to one browser. */
export const push: Channel<Config> = {
  audience: 'people',
  followsAlert: false,
  subjectKind: null,
  config: PushConfig,
  secrets: ['endpoint', 'p256dh', 'auth'],
  secretUrls: ['endpoint'],
  target: ({ endpoint }) => originOf(endpoint),
  deliver: (notice, config, tools) => sendToBrowser(alertMessage(notice, tools.publicUrl), config, tools),
}
