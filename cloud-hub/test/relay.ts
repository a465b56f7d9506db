import { connect, createServer, type Socket } from 'node:net'

/** A way from one port to another that a test can cut, as a firewall would. */
export interface Relay {
  port: number
  /** where it leads; null: it is cut, and what was open is closed */
  to(port: number | null): void
  /** closes connections whose first bytes say so */
  refuse(says: (first: string) => boolean): void
  close(): Promise<void>
}

export async function startRelay(): Promise<Relay> {
  const open = new Set<Socket>()
  let target: number | null = null
  let refuses = (_first: string) => false
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  const server = createServer((near) => {
    if (target === null) return near.destroy()
    open.add(near.on('error', () => {}).on('close', () => open.delete(near)))
    near.once('data', (first: Buffer) => {
      if (target === null || refuses(first.toString('latin1'))) return near.destroy()
      const far = connect(target, '127.0.0.1').on('error', () => near.destroy())
      open.add(far.on('close', () => open.delete(far)))
      far.write(first)
      near.pipe(far).pipe(near)
      near.on('close', () => far.destroy())
      far.on('close', () => near.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    to(port) {
      target = port
      cut()
    },
    refuse(says) {
      refuses = says
      cut()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}
