import { createServer, type Socket } from 'node:net'

type ModbusTable = 'coil' | 'discrete' | 'holding' | 'input'
/** All values of one unit at one moment: by table, by zero-based address; bits are 0 or 1, registers 0..65535. */
export type ModbusImage = Record<ModbusTable, ReadonlyMap<number, number>>

export interface ModbusServer {
  port: number
  stop(): Promise<void>
}

/**
 * A read-only Modbus TCP server: functions 1 to 4. It serves any number of clients and concurrent requests; each request sees one
 * moment. Source: MODBUS Application Protocol V1.1b3, sections 6.1-6.4 and 7; MODBUS Messaging on TCP/IP V1.0b, 3.1.3
 * @param units the image of each unit id
 */
export function startModbusServer(
  host: string,
  port: number,
  units: ReadonlyMap<number, () => ModbusImage>,
): Promise<ModbusServer> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let pending: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      while (pending.length >= HEADER) {
        const length = pending.readUInt16BE(4)
        // not Modbus, or out of step: there is no way to find the next request
        if (pending.readUInt16BE(2) !== 0 || length < 2 || length > 254) return socket.destroy()
        if (pending.length < 6 + length) return
        const [header, pdu] = [pending.subarray(0, HEADER), pending.subarray(HEADER, 6 + length)]
        socket.write(frame(header, answer(units.get(header[6] as number), pdu)))
        pending = pending.subarray(6 + length)
      }
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      resolve({
        port: (server.address() as { port: number }).port,
        stop: () =>
          new Promise((done) => {
            server.close(() => done())
            for (const socket of sockets) socket.destroy()
          }),
      })
    })
  })
}

/** transaction id (2), protocol (2, always 0), length of what follows (2), unit id (1) */
const HEADER = 7

const TABLES: Record<number, { table: ModbusTable; most: number; bits: boolean }> = {
  1: { table: 'coil', most: 2_000, bits: true },
  2: { table: 'discrete', most: 2_000, bits: true },
  3: { table: 'holding', most: 125, bits: false },
  4: { table: 'input', most: 125, bits: false },
}
const ILLEGAL_FUNCTION = 1
const ILLEGAL_ADDRESS = 2
const ILLEGAL_VALUE = 3
/** what a gateway answers for a unit behind it that is not there */
const GATEWAY_TARGET_FAILED = 11

function answer(unit: (() => ModbusImage) | undefined, pdu: Buffer): Buffer {
  const code = pdu[0] as number
  const exception = (reason: number) => Buffer.of(code | 0x80, reason)
  if (!unit) return exception(GATEWAY_TARGET_FAILED)
  const wanted = TABLES[code]
  if (!wanted) return exception(ILLEGAL_FUNCTION)
  if (pdu.length !== 5) return exception(ILLEGAL_VALUE)
  const [first, count] = [pdu.readUInt16BE(1), pdu.readUInt16BE(3)]
  if (count < 1 || count > wanted.most) return exception(ILLEGAL_VALUE)
  const table = unit()[wanted.table]
  const values: number[] = []
  for (let address = first; address < first + count; address++) {
    const value = table.get(address)
    if (value === undefined) return exception(ILLEGAL_ADDRESS)
    values.push(value)
  }
  const body = wanted.bits ? packBits(values) : packRegisters(values)
  return Buffer.concat([Buffer.of(code, body.length), body])
}

/** the first coil is the least significant bit of the first byte */
function packBits(bits: number[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8))
  bits.forEach((bit, index) => {
    if (bit) bytes[index >> 3] = (bytes[index >> 3] as number) | (1 << (index & 7))
  })
  return bytes
}

function packRegisters(registers: number[]): Buffer {
  const bytes = Buffer.alloc(registers.length * 2)
  registers.forEach((register, index) => {
    bytes.writeUInt16BE(register, index * 2)
  })
  return bytes
}

function frame(requestHeader: Buffer, pdu: Buffer): Buffer {
  const header = Buffer.from(requestHeader)
  header.writeUInt16BE(pdu.length + 1, 4)
  return Buffer.concat([header, pdu])
}
