import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** What the proxy does with the next request. */
export type ProxyBehaviour = 'tunnel' | 'silent' | 'silent-tunnel' | 'close' | 'garbage' | 407 | 'ntlm' | 403 | 502

/** An HTTP proxy for CONNECT with Basic authentication, on 127.0.0.1. */
export class ScriptedProxy {
  behaviour: ProxyBehaviour = 'tunnel'
  /** `user:password`; null: whoever */
  credentials: string | null = null
  /** addresses of names that only the proxy can resolve */
  readonly addresses = new Map<string, string>()
  /** targets of the tunnels that it opened, host:port */
  readonly opened: string[] = []
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor() {
    this.#server = createServer((socket) => this.#accept(socket))
  }

  static async start(port = 0): Promise<ScriptedProxy> {
    const proxy = new ScriptedProxy()
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject).listen(port, '127.0.0.1', resolve)
    })
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Closes every connection, as a restart would. */
  dropTunnels(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    if (this.#server.listening) await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  #accept(socket: Socket): void {
    this.#keep(socket)
    let head = ''
    const onData = (part: Buffer) => {
      head += part.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      socket.off('data', onData)
      this.#answer(socket, head)
    }
    socket.on('data', onData)
  }

  #answer(socket: Socket, head: string): void {
    const target = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head)?.[1]
    const end = (status: string, ...lines: string[]) =>
      socket.end(`HTTP/1.1 ${status}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`)
    if (!target) return void end('400 Bad Request')
    const basic = /^proxy-authorization: Basic (\S+)/im.exec(head)?.[1]
    const given = basic === undefined ? null : Buffer.from(basic, 'base64').toString()
    const { behaviour } = this
    if (behaviour === 'silent') return
    if (behaviour === 'close') return void socket.destroy()
    if (behaviour === 'garbage') return void socket.end('SSH-2.0-OpenSSH_9.2\r\n')
    if (behaviour === 403) return void end('403 Forbidden')
    if (behaviour === 502) return void end('502 Bad Gateway')
    if (behaviour === 'ntlm')
      return void end('407 Proxy Authentication Required', 'Proxy-Authenticate: NTLM', 'Proxy-Authenticate: Negotiate')
    if (behaviour === 407 || (this.credentials !== null && given !== this.credentials))
      return void end('407 Proxy Authentication Required', 'Proxy-Authenticate: Basic realm="plant"')
    if (behaviour === 'silent-tunnel') return void socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(target) ?? []
    const onward = connect({ host: this.addresses.get(host) ?? host, port: Number(port) })
    this.#keep(onward)
    onward.once('connect', () => {
      this.opened.push(target)
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    onward.once('error', () => end('502 Bad Gateway'))
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#sockets.delete(socket))
  }
}
