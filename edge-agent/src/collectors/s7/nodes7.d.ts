/** As far as this agent uses it. Source: nodes7 0.3.18, nodeS7.js */
declare module 'nodes7' {
  import type { Socket } from 'node:net'

  interface ConnectionParams {
    host: string
    port: number
    rack: number
    slot: number
    /** ms, of a connection and of each request */
    timeout: number
    /** one request item an address, so that one bad address spoils no other */
    doNotOptimize: boolean
  }
  class NodeS7 {
    constructor(options: { silent: boolean })
    /** 4: connected, and the PDU size is negotiated */
    isoConnectionState: number
    isoclient: Socket | undefined
    connectNow(params: ConnectionParams): void
    initiateConnection(params: ConnectionParams, done: (error?: { code?: string } | string) => void): void
    addItems(addresses: string[]): void
    /** Calls back with a value by address; a text tells that there is none. */
    readAllItems(done: (anyBad: boolean, values: Record<string, unknown>) => void): void
    dropConnection(done: () => void): void
  }
  export default NodeS7
}
