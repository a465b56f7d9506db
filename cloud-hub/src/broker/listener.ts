import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { connectionName, expectProxyHeaders, showClient } from '../support/net/proxied-server.ts'
import type { Admission, Connections } from './connections.ts'

/** The broker's own port, in clear or with TLS. Connections count as admitted from the beginning of their TLS handshake. */
export class Listener {
  readonly #connections: Connections
  readonly #serve: (stream: Duplex, admission: Admission) => void
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** by name of the connection, since under TLS the stream that is served is not the socket that was admitted */
  readonly #admitted = new Map<string, Admission>()

  constructor(
    connections: Connections,
    options: {
      tls: TlsOptions | undefined
      handshakeMs: number
      /** connections from these begin with a header of the PROXY protocol */
      proxies: readonly string[]
      onHeaderRefused(proxy: string, reason: string): void
    },
    serve: (stream: Duplex, admission: Admission) => void,
  ) {
    const { tls, handshakeMs, proxies, onHeaderRefused } = options
    this.#connections = connections
    this.#serve = serve
    this.#server = tls
      ? createTlsServer({ ...tls, handshakeTimeout: handshakeMs }, (socket) => this.#handOver(socket))
      : createTcpServer({ noDelay: true, keepAlive: true })
    this.#server.on('connection', (socket: Socket) => {
      if (this.#admit(socket) && !tls) this.#handOver(socket)
    })
    if (proxies.length > 0) expectProxyHeaders(this.#server, proxies, onHeaderRefused)
  }

  listen(port: number, host: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, host, () => resolve())
    })
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  /** Accepts no more. @returns resolves when all connections have ended */
  close(): Promise<void> {
    return new Promise((done) => this.#server.close(() => done()))
  }

  /** Ends connections that nothing else would end: clients that never log in or finish their TLS handshake. */
  destroySockets(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #admit(socket: Socket): boolean {
    const [key, admission] = [connectionName(socket), this.#connections.admit(socket, socket.remoteAddress ?? '')]
    if (!admission) return false
    this.#admitted.set(key, admission)
    this.#sockets.add(socket)
    socket.once('close', () => {
      this.#sockets.delete(socket)
      this.#admitted.delete(key)
    })
    return true
  }

  #handOver(socket: Socket): void {
    showClient(socket)
    const admission = this.#admitted.get(connectionName(socket))
    if (admission) this.#serve(socket, admission)
  }
}
