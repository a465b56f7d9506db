import { createServer, type Server, type Socket } from 'node:net'

/** A read request as the device got it. */
export interface Asked {
  /** transaction id */
  id: number
  unitId: number
  functionCode: number
  address: number
  quantity: number
  /** nth request since start, from 1; the nth of its connection is `onConnection` */
  nth: number
  connection: number
  onConnection: number
}

/** What a device does with one request: the frames to send (or nothing), now or later. */
export type Script = (asked: Asked, device: ScriptedModbus, socket: Socket) => void | Promise<void>

/** Registers hold their own address, bits the lowest bit of theirs. */
export function rightAnswer(
  asked: Asked,
  wrong: Partial<Asked> & { bytes?: Buffer; byteCount?: number; protocol?: number } = {},
): Buffer {
  const { id, unitId, functionCode, address, quantity } = { ...asked, ...wrong }
  const data = wrong.bytes ?? dataOf(functionCode, address, quantity)
  const frame = Buffer.alloc(9 + data.length)
  frame.writeUInt16BE(id, 0)
  frame.writeUInt16BE(wrong.protocol ?? 0, 2)
  frame.writeUInt16BE(3 + data.length, 4)
  frame[6] = unitId
  frame[7] = functionCode
  frame[8] = wrong.byteCount ?? data.length
  data.copy(frame, 9)
  return frame
}

function dataOf(functionCode: number, address: number, quantity: number): Buffer {
  if (functionCode > 2) {
    const data = Buffer.alloc(quantity * 2)
    for (let i = 0; i < quantity; i++) data.writeUInt16BE((address + i) & 0xffff, i * 2)
    return data
  }
  const data = Buffer.alloc((quantity + 7) >> 3)
  for (let i = 0; i < quantity; i++) if ((address + i) & 1) data[i >> 3] = (data[i >> 3] as number) | (1 << (i & 7))
  return data
}

export function exceptionAnswer({ id, unitId, functionCode }: Asked, code: number): Buffer {
  const frame = Buffer.alloc(9)
  frame.writeUInt16BE(id, 0)
  frame.writeUInt16BE(3, 4)
  frame[6] = unitId
  frame[7] = functionCode | 0x80
  frame[8] = code
  return frame
}

/** The same answer as a frame of Modbus RTU. @param crc what the checksum is changed by */
export function rtuFrame(tcpFrame: Buffer, crc = 0): Buffer {
  const body = tcpFrame.subarray(6)
  const check = rtuChecksum(body) ^ crc
  return Buffer.concat([body, Buffer.from([check & 0xff, check >> 8])])
}

/** Source: Modbus over Serial Line V1.02, 6.2.2 */
function rtuChecksum(bytes: Buffer): number {
  return bytes.reduce((crc, byte) => {
    let next = crc ^ byte
    for (let bit = 0; bit < 8; bit++) next = (next >> 1) ^ ((next & 1) * 0xa001)
    return next
  }, 0xffff)
}

/** A Modbus TCP device that behaves as badly as its script says. Speaks raw TCP and shares no code with the client under test. With the framing `rtu` it reads RTU frames. */
export class ScriptedModbus {
  readonly asked: Asked[] = []
  connections = 0
  open = 0
  script: Script
  /** before the first request of a connection */
  onConnection: (socket: Socket, connection: number) => void = () => {}
  readonly #server: Server
  readonly #isRtu: boolean
  readonly #sockets = new Set<Socket>()
  #port = 0

  constructor(script: Script, framing: 'tcp' | 'rtu' = 'tcp') {
    this.#isRtu = framing === 'rtu'
    this.script = script
    this.#server = createServer((socket) => this.#serve(socket))
  }

  get port(): number {
    return this.#port
  }

  /** On a free port, or after a `close` on the same one again. */
  listen(): Promise<this> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(this.#port, '127.0.0.1', () => {
        this.#port = (this.#server.address() as { port: number }).port
        resolve(this)
      })
    })
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #serve(socket: Socket): void {
    const connection = ++this.connections
    this.open++
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#sockets.delete(socket)
      this.open--
    })
    this.onConnection(socket, connection)
    let rest = Buffer.alloc(0)
    let onConnection = 0
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk])
      const length = this.#isRtu ? 8 : 12
      for (; rest.length >= length; rest = rest.subarray(length)) {
        const body = this.#isRtu ? rest : rest.subarray(6)
        if (this.#isRtu && rtuChecksum(rest.subarray(0, 6)) !== rest.readUInt16LE(6)) continue
        const asked: Asked = {
          id: this.#isRtu ? 0 : rest.readUInt16BE(0),
          unitId: body[0] as number,
          functionCode: body[1] as number,
          address: body.readUInt16BE(2),
          quantity: body.readUInt16BE(4),
          nth: this.asked.length + 1,
          connection,
          onConnection: ++onConnection,
        }
        this.asked.push(asked)
        void this.script(asked, this, socket)
      }
    })
  }
}
