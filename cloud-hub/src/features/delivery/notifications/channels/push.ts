import webPush from 'web-push'
import { z } from '../../../../support/http/z.ts'
import type { Channel, Notice } from '../channel.ts'
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
function payload(notice: Notice, publicUrl: string): Buffer {
  const { machine, group } = notice
  const title = group || !machine ? `Haltless: ${notice.severity}` : `${truncateLine(machine.name, 100)}: ${notice.severity}`
  const text = JSON.stringify({
    title,
    body: truncate([notice, ...(group?.shown ?? [])].map(({ message }) => oneLine(message)).join('\n'), 600),
    severity: notice.severity,
    machine: group || !machine ? null : { id: machine.id, name: truncateLine(machine.name, 100) },
    alert_id: group ? null : (notice.alert?.id ?? null),
    link: alertLink(notice, publicUrl) ?? publicUrl,
    tag: notice.deliveryId,
  })
  const bytes = Buffer.from(text)
  if (bytes.length > MAX_BYTES) throw new Error('a push message is too long')
  return bytes
}

/**
 * Web push to one browser.
 * Source: RFC 8030, 5 (`TTL`, `Urgency`, `Topic`; 201), RFC 8291 (encryption), RFC 8292 (VAPID); 404 and 410 say that a subscription is gone
 */
export const push: Channel<Config> = {
  audience: 'people',
  followsAlert: false,
  subjectKind: null,
  config: PushConfig,
  secrets: ['endpoint', 'p256dh', 'auth'],
  secretUrls: ['endpoint'],
  target: ({ endpoint }) => originOf(endpoint),
  deliver: async (notice, { endpoint, p256dh, auth }, { http, now, publicUrl, vapid }) => {
    if (!vapid) return { kind: 'permanent', error: 'web push is switched off' }
    const { cipherText } = webPush.encrypt(p256dh, auth, payload(notice, publicUrl), 'aes128gcm')
    const answer = await http.request(endpoint, {
      method: 'POST',
      headers: {
        authorization: await vapid.authorization(endpoint, now),
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
        ttl: String(TTL_SECONDS),
        urgency: URGENCY[notice.severity],
        topic: notice.deliveryId.replaceAll('-', ''),
      },
      body: cipherText,
    })
    const outcome = outcomeOf(answer)
    const isGone = answer.ok && (answer.status === 404 || answer.status === 410)
    return isGone && outcome.kind === 'permanent' ? { ...outcome, isGone } : outcome
  },
}
