import { fault } from '@haltless/protocol/faults'
import type { Clock } from '../../../../support/clock.ts'
import type { Logger } from '../../../../support/logger.ts'
import type { GuardedClient } from '../../../../support/net/guarded-client.ts'
import type { SecretBox } from '../../../../support/secrets/secret-box.ts'
import type { DeliveryOutcome } from '../channel.ts'
import { type BrowserMessage, PushConfig, push, sendToBrowser } from '../channels/push.ts'
import { readableFault } from '../hide-secrets.ts'
import { openConfig } from '../manage-channel.ts'
import { oneLine, truncate, truncateLine } from '../notice-text.ts'
import type { VapidKey } from './vapid.ts'

export interface PushTools {
  box: SecretBox
  http: GuardedClient
  /** null: web push is switched off */
  vapid: VapidKey | null
  clock: Clock
  logger: Logger
}

/** A subscription as stored: a channel of type `push`. */
export interface StoredBrowser {
  tenantId: string
  id: string
  sealedConfig: string
}

/** Sends a message to a subscribed browser and deletes nothing: the caller passes the outcome to `endIfRefused`. Texts are shortened to fit. */
export async function pushToBrowser(tools: PushTools, browser: StoredBrowser, message: BrowserMessage): Promise<DeliveryOutcome> {
  const { clock, logger } = tools
  try {
    const config = PushConfig.parse(openConfig(tools.box, browser))
    const { title, body, machine } = message
    const fitting = {
      ...message,
      title: truncateLine(title, 200),
      body: truncate(oneLine(body), 600),
      machine: machine && { ...machine, name: truncateLine(machine.name, 100) },
    }
    const outcome = await sendToBrowser(fitting, config, { ...tools, now: clock.now() })
    return outcome.kind === 'delivered' ? outcome : { ...outcome, fault: readableFault(outcome.fault, push.secrets, config) }
  } catch (error) {
    logger.error({ err: error }, 'a push message failed')
    return { kind: 'transient', fault: fault('delivery_failed') }
  }
}
