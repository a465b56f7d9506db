import type { Directives } from '@haltless/protocol'
import type { trustedAuthorities } from '../agent-paths.ts'
import type { AgentConfig } from '../settings/schema.ts'
import { HttpClient } from '../support/http.ts'
import { Authorization } from '../uplink/authorization.ts'
import { Connector } from '../uplink/connector.ts'
import { Uplink } from '../uplink/uplink.ts'
import { WireFormat } from '../uplink/wire-format.ts'
import type { AgentDeps } from './deps.ts'
import type { Storage } from './storage.ts'

const CONNECT_TIMEOUT_MS = 10_000

/** The connections to the hub. */
interface Sending {
  http: HttpClient
  authorization: Authorization
  wireFormat: WireFormat
  uplink: Uplink
}

interface SendingEvents {
  onDirectives: (directives: Directives) => void
  /** a message of the `sources` topic */
  onSources: (given: unknown) => void
  onCredentialRefused: () => void
}

export function createSending(
  config: AgentConfig,
  { buffer, instanceId, ca }: Pick<Storage, 'buffer' | 'instanceId'> & { ca: ReturnType<typeof trustedAuthorities> },
  { clock, logger, connectTimeoutMs = CONNECT_TIMEOUT_MS, betterRetryMs }: AgentDeps,
  { onDirectives, onSources, onCredentialRefused }: SendingEvents,
): Sending {
  const { proxy = null } = config.uplink
  const http = new HttpClient(ca, proxy)
  const authorization = new Authorization()
  const connector = new Connector({
    hubUrl: config.hub.url,
    agentId: config.agentId,
    apiKey: config.hub.apiKey,
    allowPlaintext: config.hub.allowPlaintext,
    clientId: `${config.agentId}.${instanceId.slice(0, 8)}`,
    override: config.uplink.mqtt,
    ca,
    proxy,
    connectTimeoutMs,
    http,
    logger,
    onDirectives,
    onSources,
  })
  const wireFormat = new WireFormat(logger)
  const uplink = new Uplink({
    buffer,
    authorization,
    wireFormat,
    connector,
    clock,
    logger,
    ...config.uplink,
    onCredentialRefused,
    betterRetryMs,
  })
  return { http, authorization, wireFormat, uplink }
}
