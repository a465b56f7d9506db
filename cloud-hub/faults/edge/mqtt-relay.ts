import { connect, createServer, type Socket } from 'node:net'
import type { RowContext } from '../row.ts'

/** Decides how often the bridge passes on a packet: 0 loses it, 2 repeats it; or after how many ms each time, 0 for at once. */
export type Bridge = (packet: { from: 'agent' | 'broker'; topic: string; payload: Buffer }) => number | readonly number[]

const PUBLISH = 3
const PUBACK = 4

/** Starts an MQTT bridge that loses or repeats messages. It acknowledges lost messages in the receiver's name. */
export async function startMqttRelay(context: RowContext, brokerPort: number, bridge: Bridge): Promise<{ port: number }> {
  const open = new Set<Socket>()
  const server = createServer((agent) => {
    const broker = connect(brokerPort, '127.0.0.1')
    for (const socket of [agent, broker]) {
      open.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          open.delete(socket)
          agent.destroy()
          broker.destroy()
        })
    }
    onPackets(agent, (packet) => pass('agent', packet, broker, agent))
    onPackets(broker, (packet) => pass('broker', packet, agent, broker))
  })
  const pass = (from: 'agent' | 'broker', packet: Buffer, to: Socket, back: Socket) => {
    const message = publishOf(packet)
    const decision = message ? bridge({ from, ...message }) : 1
    const delays = typeof decision === 'number' ? new Array<number>(decision).fill(0) : decision
    for (const delay of delays) {
      if (delay === 0) to.write(packet)
      else setTimeout(() => to.writable && to.write(packet), delay).unref()
    }
    if (delays.length === 0 && message?.id) back.write(Buffer.of(PUBACK << 4, 2, message.id >> 8, message.id & 0xff))
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  context.defer(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return { port: (server.address() as { port: number }).port }
}

/** Splits the stream into whole control packets. Source: MQTT 3.1.1, 2.2 */
function onPackets(socket: Socket, take: (packet: Buffer) => void): void {
  let pending: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    for (let end = endOf(pending); end !== null && pending.length >= end; end = endOf(pending)) {
      take(pending.subarray(0, end))
      pending = pending.subarray(end)
    }
  })
}

/** The end of the first packet; null when its length has not arrived yet. */
function endOf(bytes: Buffer): number | null {
  let length = 0
  for (let i = 1; i < bytes.length; i++) {
    const byte = bytes[i] as number
    length += (byte & 0x7f) * 128 ** (i - 1)
    if (byte < 0x80) return i + 1 + length
  }
  return null
}

/** Topic, packet id (0 at QoS 0) and payload of a PUBLISH. Source: MQTT 3.1.1, 3.3 */
function publishOf(packet: Buffer): { topic: string; id: number; payload: Buffer } | null {
  const first = packet[0] as number
  if (first >> 4 !== PUBLISH) return null
  let at = 1
  while ((packet[at++] as number) >= 0x80);
  const length = packet.readUInt16BE(at)
  const topic = packet.toString('utf8', at + 2, at + 2 + length)
  at += 2 + length
  const hasId = (first & 0x06) > 0
  return { topic, id: hasId ? packet.readUInt16BE(at) : 0, payload: packet.subarray(hasId ? at + 2 : at) }
}
