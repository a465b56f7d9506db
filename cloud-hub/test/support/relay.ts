import { connect, createServer, type Socket } from 'node:net'

/** A way from one port to another that a test can cut, as a firewall would. */
export interface Relay {
  port: number
  /** where it leads; null: it is cut, and what was open is closed */
  to(port: number | null): void
  /** closes connections whose first bytes say so */
  refuse(says: (first: string) => boolean): void
  /** from now on nothing gets through and nobody is told: connections stay open, new ones are taken and get no answer */
  hold(): void
  /** what was held goes on with what it was saying; or it is lost, as where the firewall has forgotten it */
  release(isKept?: boolean): void
  close(): Promise<void>
}

/** @param from the address that it connects from; absent: any */
export async function startRelay(from?: string): Promise<Relay> {
  const open = new Set<Socket>()
  const pairs = new Set<[Socket, Socket]>()
  const parked = new Set<Socket>()
  let target: number | null = null
  let isHeld = false
  let refuses = (_first: string) => false
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  const join = ([near, far]: [Socket, Socket]) => {
    near.pipe(far)
    far.pipe(near)
  }
  /** one end is gone: the other is told, unless nothing gets through */
  const ended = (pair: [Socket, Socket]) => {
    if (isHeld) return
    pairs.delete(pair)
    for (const socket of pair) socket.destroy()
  }
  const begin = (near: Socket) => {
    near.once('data', (first: Buffer) => {
      if (isHeld) {
        near.pause()
        near.unshift(first)
        return void parked.add(near)
      }
      if (target === null || refuses(first.toString('latin1'))) return near.destroy()
      const far = connect({ port: target, host: '127.0.0.1', ...(from ? { localAddress: from } : {}) })
      open.add(far)
      const pair: [Socket, Socket] = [near, far]
      pairs.add(pair)
      far.on('error', () => far.destroy()).on('close', () => open.delete(far) && ended(pair))
      near.on('close', () => ended(pair))
      far.write(first)
      join(pair)
    })
  }
  const server = createServer((near) => {
    if (target === null) return near.destroy()
    open.add(near.on('error', () => near.destroy()).on('close', () => open.delete(near) && parked.delete(near)))
    if (isHeld) parked.add(near)
    else begin(near)
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
    hold() {
      isHeld = true
      for (const [near, far] of pairs) for (const socket of [near.unpipe(far), far.unpipe(near)]) socket.pause()
    },
    release(isKept = true) {
      isHeld = false
      if (!isKept) return cut()
      for (const pair of pairs) {
        if (pair.some((socket) => socket.destroyed)) ended(pair)
        else join(pair)
      }
      for (const near of parked) begin(near)
      parked.clear()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}
