import NodeS7 from 'nodes7'
import { deadline } from '../../support/deadline.ts'
import { errorMessage } from '../../support/error-message.ts'
import type { ProbeDeps, S7Source } from '../collector.ts'

/** The connection is of no use any more; a new one may be. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

// this agent only ever reads
for (const name of ['writeItems', 'prepareWritePacket', 'sendWritePacket'])
  Object.defineProperty(NodeS7.prototype, name, {
    value: () => {
      throw new Error('this agent never writes to a PLC')
    },
  })

const CONNECTED = 4
/** What a large poll may take longer than one request. */
const MS_PER_ITEM = 20

/** One connection to a PLC, which reads all items of a source at once. It is not reconnected: a lost one is replaced. */
export class S7Connection {
  readonly #plc: NodeS7
  readonly #limitMs: number

  private constructor(plc: NodeS7, limitMs: number) {
    this.#plc = plc
    this.#limitMs = limitMs
  }

  /**
   * @param isIsolating each address is asked for by itself, so that one that does not exist spoils no other
   * @throws ConnectionLost
   */
  static async open(
    { host, port, config }: S7Source,
    addresses: readonly string[],
    isIsolating: boolean,
    { resolveHost }: Pick<ProbeDeps, 'resolveHost'>,
  ): Promise<S7Connection> {
    const { rack, slot, timeout_ms: timeout } = config
    const plc = new NodeS7({ silent: true })
    const connection = new S7Connection(plc, 2 * timeout + addresses.length * MS_PER_ITEM)
    try {
      const address = (await resolveHost?.(host, port)) ?? host
      await within(2 * timeout, 'the PLC does not answer', (done) => {
        const params = { host: address, port, rack, slot, timeout, doNotOptimize: isIsolating }
        plc.initiateConnection(params, (error) => done(error === undefined ? null : reasonOf(error)))
        // the library connects again by itself, and never gives up
        plc.connectNow = () => {}
        plc.isoclient?.once('close', () => done('the PLC closed the connection: check rack and slot'))
      })
    } catch (error) {
      connection.close()
      throw error instanceof ConnectionLost ? error : new ConnectionLost(errorMessage(error))
    }
    plc.addItems([...addresses])
    return connection
  }

  /** @returns a number for each address, or why there is none. @throws ConnectionLost */
  async read(): Promise<Map<string, number | string>> {
    const plc = this.#plc
    let found: Record<string, unknown> = {}
    await within(this.#limitMs, 'the PLC stopped answering', (done) => {
      plc.isoclient?.once('close', () => done('the PLC closed the connection'))
      plc.readAllItems((_, values) => {
        found = values
        done(plc.isoConnectionState === CONNECTED ? null : 'the PLC stopped answering')
      })
    })
    return new Map(Object.entries(found).map(([address, value]) => [address, toNumber(value)]))
  }

  close(): void {
    const { isoclient } = this.#plc
    this.#plc.dropConnection(() => {})
    isoclient?.destroy()
  }
}

const REFUSED = 'the PLC refuses it: the address must exist, its block must not be optimized, and PUT/GET must be permitted'

function toNumber(value: unknown): number | string {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value !== 'number') return REFUSED
  return Number.isFinite(value) ? value : 'its value is no finite number'
}

function reasonOf(error: { code?: string } | string): string {
  const code = typeof error === 'string' ? undefined : error.code
  if (code === 'ECONNREFUSED') return 'connection refused'
  if (code === 'EUSERTIMEOUT') return 'nothing answers at this address'
  return code ?? 'the PLC refuses the connection: check rack and slot'
}

/** Calls `begin`, which tells once how it ended: null, or why it failed. @throws ConnectionLost, also after `limitMs` */
function within(limitMs: number, late: string, begin: (done: (failure: string | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const timeout = deadline(limitMs, () => reject(new ConnectionLost(late)))
    begin((failure) => {
      timeout.cancel()
      if (failure === null) resolve()
      else reject(new ConnectionLost(failure))
    })
  })
}
