import { createServer, type Server, type Socket } from 'node:net'

/** The memory of a simulated PLC: data blocks by number, markers, inputs, outputs, timers and counters. */
export interface S7Memory {
  blocks: Map<number, Buffer>
  markers: Buffer
  inputs: Buffer
  outputs: Buffer
  /** two bytes for each */
  timers: Buffer
  counters: Buffer
}

const [CONNECT_REQUEST, CONNECT_CONFIRM] = [0xe0, 0xd0]
const [SETUP, READ] = [0xf0, 0x04]
const NO_SUCH_OBJECT = 0x0a
const BAD_ADDRESS = 0x05
const [COUNTERS, TIMERS] = [0x1c, 0x1d]

/**
 * A small S7 server: ISO-on-TCP (RFC 1006), COTP, the negotiation of the PDU size, and reading of bytes. It answers no write, and counts them.
 * Source: Wireshark's S7comm dissector
 */
export class S7Server {
  readonly memory: S7Memory
  /** requests that were not one of setup and read, by function code */
  readonly others: number[] = []
  reads = 0
  /** false: it takes requests and answers none */
  answers = true
  /** the size of PDUs that it grants */
  pduBytes = 480
  /** changes the PDU of an answer to a read */
  spoil: ((pdu: Buffer) => void) | null = null
  /** bytes that it sends before an answer to a read */
  unasked: Buffer | null = null
  /** answers a request for a connection by ending it */
  refusesConnections = false
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(memory: S7Memory, server: Server) {
    this.memory = memory
    this.#server = server
  }

  static async start(memory: Partial<S7Memory>, port = 0): Promise<S7Server> {
    const empty = {
      blocks: new Map(),
      markers: Buffer.alloc(64),
      inputs: Buffer.alloc(64),
      outputs: Buffer.alloc(64),
      timers: Buffer.alloc(64),
      counters: Buffer.alloc(64),
    }
    const server = createServer()
    const plc = new S7Server({ ...empty, ...memory }, server)
    server.on('connection', (socket) => plc.#serve(socket))
    await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
    return plc
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  get connections(): number {
    return this.#sockets.size
  }

  /** Ends all connections, as a PLC that is restarted. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async stop(): Promise<void> {
    this.drop()
    await new Promise((done) => this.#server.close(done))
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket))
    let held = Buffer.alloc(0)
    socket.on('data', (data) => {
      held = Buffer.concat([held, data])
      while (held.length >= 4 && held.length >= held.readUInt16BE(2)) {
        const length = held.readUInt16BE(2)
        const answer = this.answers ? this.#answerTo(socket, held.subarray(4, length)) : null
        held = held.subarray(length)
        if (answer) socket.write(withTpkt(answer))
      }
    })
  }

  #answerTo(socket: Socket, cotp: Buffer): Buffer | null {
    if (cotp[1] === CONNECT_REQUEST) {
      if (this.refusesConnections) {
        socket.end()
        return null
      }
      const answer = Buffer.from(cotp)
      answer[1] = CONNECT_CONFIRM
      // the references change places
      cotp.copy(answer, 2, 4, 6)
      return answer
    }
    const s7 = cotp.subarray((cotp[0] as number) + 1)
    const sequence = s7.readUInt16BE(4)
    const parameters = s7.subarray(10)
    const [code] = parameters as unknown as [number]
    if (code === SETUP)
      return reply(sequence, Buffer.concat([Buffer.from([SETUP, 0, 0, 8, 0, 8]), uint16(this.pduBytes)]), Buffer.alloc(0))
    if (code !== READ) {
      this.others.push(code)
      return null
    }
    this.reads++
    const count = parameters[1] as number
    const items = Array.from({ length: count }, (_, i) => this.#read(parameters.subarray(2 + i * 12, 14 + i * 12)))
    // every item but the last fills an even number of bytes
    const data = items.map((item, i) => (i + 1 < count && item.length % 2 ? Buffer.concat([item, Buffer.alloc(1)]) : item))
    if (this.unasked) socket.write(this.unasked)
    const answer = reply(sequence, Buffer.from([READ, count]), Buffer.concat(data))
    this.spoil?.(answer.subarray(3))
    return answer
  }

  #read(item: Buffer): Buffer {
    const [length, block, area] = [item.readUInt16BE(4), item.readUInt16BE(6), item[8]]
    const address = item.readUInt32BE(8) & 0xffffff
    const { blocks, markers, inputs, outputs, timers, counters } = this.memory
    if (area === TIMERS || area === COUNTERS) {
      const at = 2 * address
      const words = (area === TIMERS ? timers : counters).subarray(at, at + 2 * length)
      return Buffer.concat([Buffer.from([0xff, 0x09]), uint16(words.length), words])
    }
    const from = address >> 3
    const memory = area === 0x84 ? blocks.get(block) : area === 0x83 ? markers : area === 0x81 ? inputs : outputs
    if (!memory) return Buffer.from([NO_SUCH_OBJECT, 0, 0, 0])
    if (from + length > memory.length) return Buffer.from([BAD_ADDRESS, 0, 0, 0])
    return Buffer.concat([Buffer.from([0xff, 0x04]), uint16(length * 8), memory.subarray(from, from + length)])
  }
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

/** An acknowledgement with data, behind a COTP header. */
const reply = (sequence: number, parameters: Buffer, data: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from([2, 0xf0, 0x80, 0x32, 3, 0, 0]),
    uint16(sequence),
    uint16(parameters.length),
    uint16(data.length),
    Buffer.from([0, 0]),
    parameters,
    data,
  ])

const withTpkt = (cotp: Buffer): Buffer => Buffer.concat([Buffer.from([3, 0]), uint16(cotp.length + 4), cotp])
