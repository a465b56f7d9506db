import type { z } from '../../../support/http/z.ts'
import type { GuardedClient } from '../../../support/net/guarded-client.ts'
import type { ConfigRules } from '../../../support/secrets/secret-config.ts'
import type { Channel } from './channel.ts'
import { chatA } from './channels/chat-a.ts'
import { chatB } from './channels/chat-b.ts'
import { email } from './channels/email.ts'
import { incidentA } from './channels/incident-a.ts'
import { incidentB } from './channels/incident-b.ts'
import { messengerA } from './channels/messenger-a.ts'
import { push } from './channels/push.ts'
import { sms } from './channels/sms.ts'
import { ticketingA } from './channels/ticketing-a.ts'
import { ticketingB } from './channels/ticketing-b.ts'
import { webhook } from './channels/webhook.ts'

/** Those that people set up; a browser's is made when it subscribes. */
export const CHANNEL_TYPES = [
  'email',
  'webhook',
  'sms',
  'chat_a',
  'chat_b',
  'messenger_a',
  'incident_a',
  'incident_b',
  'ticketing_a',
  'ticketing_b',
] as const
export type ChannelType = (typeof CHANNEL_TYPES)[number]

/** A full map: a type without its file does not compile. */
export const channels = {
  email,
  webhook,
  sms,
  chat_a: chatA,
  chat_b: chatB,
  messenger_a: messengerA,
  incident_a: incidentA,
  incident_b: incidentB,
  ticketing_a: ticketingA,
  ticketing_b: ticketingB,
  push,
  // biome-ignore lint/suspicious/noExplicitAny: each channel has a configuration of its own shape
} satisfies Record<ChannelType | 'push', Channel<any>>

// biome-ignore lint/suspicious/noExplicitAny: see above
export const channelOf = (type: string): Channel<any> => channels[type as keyof typeof channels]

/** Types that send by the hub's mail server. */
export const MAIL_TYPES: string[] = Object.keys(channels).filter((type) => channelOf(type).isMail)

/** The capabilities of a type, as columns of its channels. */
export function capabilitiesOf(type: string) {
  const { audience, followsAlert, subjectKind } = channelOf(type)
  return { audience, followsAlert, subjectKind }
}

/** What holds for the configuration of a channel of this type. */
export function configRules(type: string, http: GuardedClient): ConfigRules {
  const { config, secrets, secretUrls, target, check } = channelOf(type)
  return {
    config,
    secrets,
    ...(secretUrls && { secretUrls }),
    isMoved: (stored, changed) => target(stored) !== target(changed),
    ...(check && { check: (given) => check(given, http) }),
  }
}

/** For the API's document, one line for each type: the keys of its configuration; optional ones have a question mark. */
export const configKeys = (): string[] =>
  CHANNEL_TYPES.map((type) => {
    const { product, config } = channelOf(type)
    const keys = Object.entries((config as z.ZodObject).shape).map(
      ([key, value]) => `\`${key}\`${value.safeParse(undefined).success ? '?' : ''}`,
    )
    return `\`${type}\`${product ? ` (${product})` : ''}: ${keys.join(', ')}`
  })
