import type { GuardedClient } from '../../support/net/guarded-client.ts'
import type { ConfigRules } from '../../support/secrets/secret-config.ts'
import type { Channel } from './channel.ts'
import { email } from './channels/email.ts'
import { webhook } from './channels/webhook.ts'

export const CHANNEL_TYPES = ['email', 'webhook'] as const
export type ChannelType = (typeof CHANNEL_TYPES)[number]

/** A full map: a type without its file does not compile. */
// biome-ignore lint/suspicious/noExplicitAny: each channel has a configuration of its own shape
export const channels = { email, webhook } satisfies Record<ChannelType, Channel<any>>

// biome-ignore lint/suspicious/noExplicitAny: see above
export const channelOf = (type: string): Channel<any> => channels[type as ChannelType]

/** What holds for the configuration of a channel of this type. */
export function configRules(type: string, http: GuardedClient): ConfigRules {
  const { config, secrets, target, judge } = channelOf(type)
  return {
    config,
    secrets,
    isMoved: (stored, changed) => target(stored) !== target(changed),
    ...(judge && { judge: (given) => judge(given, http) }),
  }
}
