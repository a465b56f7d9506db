import { readFile } from 'node:fs/promises'
import { ConfigError, type HubConfig } from '../config.ts'
import { OperatorError } from '../support/errors.ts'
import { tlsServerOptions } from '../support/net/tls-server.ts'

/** Another program listens on a port: `message` is for a terminal. */
export class PortInUse extends OperatorError {
  constructor(setting: string, port: number) {
    super(`Port ${port} is in use by another program. Stop that program, or set another port: ${setting}=${port + 1}`)
  }
}

/** Converts the error of a failed listen to {@link PortInUse} where it is one. @returns any other error unchanged */
export const listenError = (error: NodeJS.ErrnoException, setting: string, port: number): Error =>
  error.code === 'EADDRINUSE' ? new PortInUse(setting, port) : error

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
