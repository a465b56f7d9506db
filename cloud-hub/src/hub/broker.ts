import type { Server } from 'node:http'
import { EmbeddedBroker } from '../broker/embedded.ts'
import { serveMqttOverWebSocket } from '../broker/web-socket.ts'
import { type HubConfig, hasEmbeddedBroker } from '../config.ts'
import { clientIp } from '../support/http/client-ip.ts'
import type { Database } from './database.ts'
import { listenError, type TlsSettings } from './listen.ts'
import type { Services } from './services.ts'

/** Connects the hub to its agents: by the embedded broker, by an external one, or not at all without the broker role. */
export interface Broker {
  /** port of the embedded broker; null without one */
  port: number | null
  isReady(): boolean
  /** Serves MQTT over WebSocket on the hub's HTTP server, where the broker is embedded. @returns closes these connections */
  serveWebSockets(server: Server): () => void
  /** answers messages under way, then closes */
  close(): Promise<void>
}

export async function startBroker(
  services: Services,
  { hubId }: Pick<Database, 'hubId'>,
  tls: TlsSettings | undefined,
): Promise<Broker> {
  const { config } = services
  if (hasEmbeddedBroker(config)) {
    const { host, mqttPort: port, trustedProxies, proxyProtocol } = config
    const listen = { host, port, trustedProxies, proxyProtocol, ...(tls && { tls }) }
    return embedded(
      config,
      await EmbeddedBroker.start({ ...services, hubId }, listen).catch((error) => {
        throw listenError(error, 'MQTT_PORT', port)
      }),
    )
  }
  const noWebSockets = () => () => {}
  // Another hub of the database has the role, and learns by NOTIFY what is for an agent.
  if (!config.externalBroker || !config.roles.has('broker'))
    return { port: null, isReady: () => true, serveWebSockets: noWebSockets, close: async () => {} }
  const { url, username, password } = config.externalBroker
  const { joinExternalBroker } = await import('../broker/external.ts')
  const external = await joinExternalBroker(services, { url, username, password: password?.reveal() })
  return { port: null, isReady: external.isConnected, serveWebSockets: noWebSockets, close: external.close }
}

const embedded = ({ trustedProxies }: HubConfig, broker: EmbeddedBroker): Broker => ({
  port: broker.port,
  isReady: () => true,
  serveWebSockets(server) {
    const webSockets = serveMqttOverWebSocket(server, (stream, { socket, headers }) =>
      broker.handle(stream, clientIp(socket.remoteAddress, headers['x-forwarded-for']?.toString() ?? null, trustedProxies)),
    )
    return () => webSockets.close()
  },
  close: () => broker.close(),
})

/** The broker's address for agents: MQTT_PUBLIC_URL, or the broker's port on the host name of the request. */
export function mqttUrl(config: HubConfig, port: number, requestHost: string | null): string {
  if (config.mqttPublicUrl) return config.mqttPublicUrl
  if (config.externalBroker) return config.externalBroker.url
  const base = config.publicUrl ?? (requestHost ? `http://${requestHost}` : `http://127.0.0.1:${config.port}`)
  const host = URL.canParse(base) ? new URL(base).hostname : '127.0.0.1'
  return `${config.tls ? 'mqtts' : 'mqtt'}://${host}:${port}`
}
