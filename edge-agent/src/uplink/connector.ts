import type { Directives, MqttAccess } from '@haltless/protocol'
import { plaintextFault } from '../support/encryption.ts'
import type { HttpClient } from '../support/http.ts'
import type { Logger } from '../support/logger.ts'
import type { ProxySettings } from '../support/proxy.ts'
import type { ApiKey, Secret } from '../support/secret.ts'
import { shortError } from '../support/short-error.ts'
import { HttpTransport } from './http-transport.ts'
import { openMqttTransport } from './mqtt-transport.ts'
import { type Transport, TransportError, type TransportKind } from './transport.ts'

export interface ConnectorOptions {
  hubUrl: string
  agentId: string
  apiKey: ApiKey
  allowPlaintext: boolean
  /** tells this agent's sessions from another's of the same broker */
  clientId: string
  /** false for a test connection, see {@link openMqttTransport} */
  isAnnounced?: boolean
  /** takes precedence over the hub's answer */
  override?: { url: string; username?: string; password?: Secret }
  ca?: string[]
  proxy?: ProxySettings | null
  connectTimeoutMs: number
  http: HttpClient
  logger: Logger
  onDirectives: (directives: Directives) => void
  /** what came on the `sources` topic, as JSON */
  onSources: (given: unknown) => void
}

/** The ways to the hub, best first. */
const TRANSPORT_KINDS = ['mqtt', 'websocket', 'http'] as const satisfies readonly TransportKind[]

/** Opens ways to the hub: MQTT, else MQTT over WebSocket on the hub's own port, else HTTP. */
export class Connector {
  readonly #options: ConnectorOptions

  constructor(options: ConnectorOptions) {
    this.#options = options
  }

  /**
   * Opens the best way that works, of those better than `than` when it is given.
   * @returns null when none does; HTTP needs no opening, so that is only so when `than` is given
   * @throws TransportError when the broker refuses the password: going another way would hide that, and a new one is one heartbeat away
   */
  async open(access: MqttAccess | null, onBroken: () => void, than?: TransportKind): Promise<Transport | null> {
    const kinds = than === undefined ? TRANSPORT_KINDS : TRANSPORT_KINDS.slice(0, TRANSPORT_KINDS.indexOf(than))
    for (const kind of kinds) {
      if (kind === 'http') return new HttpTransport(this.#options)
      if (access === null) continue
      try {
        return await this.openMqtt(kind, access, onBroken)
      } catch (error) {
        if (error instanceof TransportError && error.isCredential) throw error
        this.#options.logger.warn({ via: kind, error: shortError(error) }, 'this way to the hub is blocked')
      }
    }
    return null
  }

  /** One MQTT session. @throws TransportError */
  openMqtt(kind: 'mqtt' | 'websocket', access: MqttAccess, onBroken: () => void): Promise<Transport> {
    const { override, allowPlaintext, clientId, isAnnounced, ca, proxy, connectTimeoutMs, onDirectives, onSources } =
      this.#options
    const url = kind === 'mqtt' ? (override?.url ?? access.url) : this.#webSocketUrl()
    const objection = plaintextFault(url, allowPlaintext)
    if (objection) throw new TransportError(objection)
    // The file's credentials belong to the file's broker; the hub's own port takes the hub's.
    const own = kind === 'mqtt' ? override : undefined
    return openMqttTransport({
      url,
      clientId,
      isAnnounced,
      username: own?.username ?? access.username,
      password: own?.password?.reveal() ?? access.password,
      topicPrefix: access.topic_prefix,
      ca,
      proxy: proxy ?? null,
      connectTimeoutMs,
      onBroken,
      onDirectives,
      onSources,
    })
  }

  #webSocketUrl(): string {
    return `${this.#options.hubUrl.replace(/^http/, 'ws')}/mqtt`
  }
}
