import { connect, type IClientOptions, MqttClient } from 'mqtt'
import { isProxied, openTlsTunnel, openTunnel, type ProxySettings } from '../support/proxy.ts'

/** Default ports. Source: the registry of service names of IANA */
const PORTS: Record<string, number> = { 'mqtt:': 1_883, 'mqtts:': 8_883, 'ws:': 80, 'wss:': 443 }

/**
 * An MQTT client on its way to a broker, through the proxy where there is one: over TCP or TLS inside a tunnel, or over WebSocket. It does not reconnect by itself.
 * @throws ProxyError or the error of TLS; what fails later is an event of the client
 */
export async function connectMqtt(url: string, options: IClientOptions, proxy: ProxySettings | null): Promise<MqttClient> {
  const settings: IClientOptions = { ...options, reconnectPeriod: 0 }
  if (!isProxied(proxy, url)) return connect(url, settings)
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const number = port ? Number(port) : (PORTS[protocol] as number)
  const { ca } = options
  const socket = /^(mqtts|wss):$/.test(protocol)
    ? await openTlsTunnel(proxy, host, number, { ...(ca && { ca }) })
    : await openTunnel(proxy, host, number)
  if (!/^wss?:$/.test(protocol)) return new MqttClient(() => socket, settings)
  return connect(url, { ...settings, wsOptions: { createConnection: () => socket } })
}
