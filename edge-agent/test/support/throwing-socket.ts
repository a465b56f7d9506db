import { Socket } from 'node:net'

// Preloaded into an agent: every connection to FAULT_PORT throws when data comes, as a fault of a collector would.
const connect = Socket.prototype.connect as (...args: unknown[]) => Socket
Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
  const [given] = args as [unknown]
  const { port } = (Array.isArray(given) ? given[0] : given) as { port?: number }
  if (port === Number(process.env.FAULT_PORT))
    this.on('data', () => {
      throw new Error('an answer that we did not expect')
    })
  return connect.apply(this, args)
} as typeof Socket.prototype.connect
