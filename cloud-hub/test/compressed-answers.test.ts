import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { getRequestListener } from '@hono/node-server'
import { beforeAll, expect, it } from 'vitest'
import { readStream } from './event-stream.ts'
import { plant, type TestUser, useHub } from './harness.ts'
import { evenly, storeReadings } from './support/stored-readings.ts'

const hub = useHub()
const unpack = { br: brotliDecompressSync, gzip: gunzipSync }

async function send(user: TestUser, path: string, headers: Record<string, string>, method = 'GET') {
  const response = await hub.app.request(`/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${user.token}`, ...headers },
  })
  const { headers: given, status } = response
  return { status, headers: given, bytes: Buffer.from(await response.arrayBuffer()) }
}

// Makes Response that of the HTTP adapter, as in a running hub.
beforeAll(() => void getRequestListener(() => new Response()))

it('lists and readings are compressed for clients that accept it, and are otherwise the same', async () => {
  const { admin, machine } = await plant(hub)
  const end = Math.floor(Date.now() / 1_000) * 1_000
  await storeReadings(hub.owner, [
    {
      machineId: machine.id,
      metric: 'temperature',
      unit: 'celsius',
      ...evenly(end - 2_000_000, end, 2_000, (k) => 40 + (k % 17) / 8),
    },
  ])
  for (let i = 0; i < 8; i++) await hub.machine(admin)
  for (const path of [`machines/${machine.id}/readings`, 'machines']) {
    const plain = await send(admin, path, {})
    expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([
      null,
      expect.stringContaining('accept-encoding'),
    ])
    for (const encoding of ['br', 'gzip'] as const) {
      const { bytes, headers } = await send(admin, path, { 'accept-encoding': encoding })
      expect([path, headers.get('content-encoding'), headers.get('vary')]).toEqual([path, encoding, plain.headers.get('vary')])
      expect(headers.get('content-type')).toBe(plain.headers.get('content-type'))
      expect(bytes.length).toBeLessThan(plain.bytes.length / 2)
      expect(unpack[encoding](bytes).equals(plain.bytes)).toBe(true)
    }
    const head = await send(admin, path, { 'accept-encoding': 'br' }, 'HEAD')
    expect([head.status, head.bytes.length, head.headers.get('content-encoding')]).toEqual([200, 0, null])
    expect(head.headers.get('vary')).toBe(plain.headers.get('vary'))
  }
})

it('files, and answers with keys or tokens, are never compressed', async () => {
  const { admin, machine } = await plant(hub)
  const accept = { 'accept-encoding': 'br, gzip' }
  for (let i = 0; i < 20; i++) await hub.apiKey(admin, `key ${i}`)
  const keys = await send(admin, 'api-keys', accept)
  expect(keys.bytes.length).toBeGreaterThan(1_024)
  const csv = await send(admin, `machines/${machine.id}/readings`, { ...accept, accept: 'text/csv' })
  for (const { headers } of [keys, csv]) expect(headers.get('content-encoding')).toBeNull()
})

it('a stream of events is compressed for a client that accepts gzip, and each event is sent at once', async () => {
  const { admin, machine } = await plant(hub)
  const open = (encoding: string) =>
    hub.app.request(
      '/api/v1/stream',
      { headers: { authorization: `Bearer ${admin.token}`, 'accept-encoding': encoding } },
      { incoming: { socket: { remoteAddress: '10.8.8.8' } } },
    )
  const plain = await open('identity')
  expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([null, 'accept-encoding'])
  await plain.body?.cancel()
  const stream = await open('br, gzip')
  expect([stream.headers.get('content-encoding'), stream.headers.get('vary')]).toEqual(['gzip', 'accept-encoding'])
  const unpacked = (stream.body as ReadableStream<Uint8Array>).pipeThrough(new DecompressionStream('gzip'))
  const client = readStream(new Response(unpacked))
  expect(await client.next('ready')).toEqual({ resumed: false })
  const order = await admin.call('POST', 'work-orders', { machine_id: machine.id, title: 'Bearing' })
  expect(await client.next('work_order')).toMatchObject({ id: order.body.id })
  await client.leave()
})
