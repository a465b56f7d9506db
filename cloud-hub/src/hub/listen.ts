import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { ConfigError, type HubConfig, hasEmbeddedBroker } from '../config.ts'
import { OperatorError } from '../support/errors.ts'
import { tlsServerOptions } from '../support/net/tls-server.ts'

/** Another program listens on a port: `message` is for a terminal. */
export class PortInUse extends OperatorError {
  constructor(setting: string, port: number) {
    super(`Port ${port} is in use by another program. Stop that program, or set another port: ${setting}=${port + 1}`)
  }
}

/** Describes the error of a failed listen by the setting that names the port. @returns an error of another kind unchanged */
export function listenError(error: NodeJS.ErrnoException, setting: string, port: number): Error {
  if (error.code === 'EADDRINUSE') return new PortInUse(setting, port)
  if (error.code === 'EACCES')
    return new ConfigError([`${setting}: this user may not open port ${port} (EACCES); name a port from 1024`])
  if (error.code === 'EADDRNOTAVAIL')
    return new ConfigError([`HOST: this computer does not have that address (EADDRNOTAVAIL); name one of its own`])
  return error
}

/** METRICS_LISTEN names an address and a port, so any fault is one of this setting. */
export const metricsListenError = ({ code }: NodeJS.ErrnoException): ConfigError =>
  new ConfigError([`METRICS_LISTEN: the hub cannot listen there (${code}); name another address and port`])

/**
 * Listens on every port of the settings for a moment, before anything is created: a hub that cannot listen leaves no database behind.
 * @throws PortInUse, ConfigError
 */
export async function checkPorts(config: HubConfig): Promise<void> {
  const { host, port, mqttPort, metricsListen } = config
  const hasBroker = hasEmbeddedBroker(config)
  if (hasBroker && port !== 0 && port === mqttPort)
    throw new ConfigError([`MQTT_PORT: it is ${mqttPort}, as PORT is; name another one`])
  const closes: (() => Promise<void>)[] = []
  const check = async (host: string, port: number, describe: (error: NodeJS.ErrnoException) => Error) => {
    closes.push(
      await listenOn(host, port).catch((error) => {
        throw describe(error)
      }),
    )
  }
  try {
    await check(host, port, (error) => listenError(error, 'PORT', port))
    if (hasBroker) await check(host, mqttPort, (error) => listenError(error, 'MQTT_PORT', mqttPort))
    if (metricsListen) await check(metricsListen.host, metricsListen.port, metricsListenError)
  } finally {
    await Promise.all(closes.map((close) => close()))
  }
}

const listenOn = (host: string, port: number): Promise<() => Promise<void>> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', reject)
    server.listen(port, host, () => resolve(() => new Promise((closed) => server.close(() => closed()))))
  })

/** What the listeners for HTTPS and MQTTS offer. */
export type TlsSettings = ReturnType<typeof tlsServerOptions>

/** Reads the certificate and key that TLS_CERT and TLS_KEY name; undefined without them. @throws ConfigError */
export async function readTlsSettings({ tls }: HubConfig): Promise<TlsSettings | undefined> {
  return tls && tlsServerOptions({ cert: await readPem('TLS_CERT', tls.certFile), key: await readPem('TLS_KEY', tls.keyFile) })
}

const readPem = (setting: string, file: string): Promise<Buffer> =>
  readFile(file).catch((error) => {
    throw new ConfigError([`${setting}: ${file} cannot be read (${error.code})`])
  })
