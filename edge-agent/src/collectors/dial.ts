import { connect, type Socket } from 'node:net'
import { deadline } from '../support/deadline.ts'

/**
 * A TCP connection to a device.
 * @param address a literal address, or a name for the system's resolver
 * @throws Error in the system's words when the connection cannot be made within `timeoutMs`, or `signal` aborts
 */
export function dial(address: string, port: number, timeoutMs: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 10_000 })
    const settle = (error: Error | null) => {
      connecting.cancel()
      signal.removeEventListener('abort', abort)
      socket.removeListener('error', settle)
      socket.removeListener('connect', connected)
      socket.on('error', () => {})
      if (error === null) return resolve(socket)
      socket.destroy()
      reject(error)
    }
    const connected = () => settle(null)
    const abort = () => settle(new Error('stopped'))
    const expired = () => settle(Object.assign(new Error('connect timeout'), { code: 'ETIMEDOUT' }))
    const connecting = deadline(timeoutMs, expired)
    socket.on('error', settle)
    socket.on('connect', connected)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
  })
}
