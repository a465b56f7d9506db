import { createSocket } from 'node:dgram'
import { expect, it, onTestFinished } from 'vitest'
import { createTxtResolver } from './resolve-txt.ts'

/** A name server on loopback that knows TXT records of one name; others do not exist (RFC 1035, 4.1). */
async function nameServer(known: string, texts: string[]): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    let end = 12
    const labels: string[] = []
    for (let size = query.readUInt8(end); size > 0; size = query.readUInt8(end)) {
      labels.push(query.toString('ascii', end + 1, end + 1 + size))
      end += size + 1
    }
    const isKnown = labels.join('.').toLowerCase() === known
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2)
    header.writeUInt16BE(isKnown ? texts.length : 0, 6)
    header.writeUInt16BE(0, 10)
    const answers = texts.map((text) => {
      // in parts, as long records are
      const data = Buffer.concat((text.match(/.{1,20}/g) ?? []).map((part) => Buffer.from([part.length, ...Buffer.from(part)])))
      return Buffer.concat([Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, data.length]), data])
    })
    socket.send(Buffer.concat([header, query.subarray(12, end + 5), ...(isKnown ? answers : [])]), from.port, from.address)
  })
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done))
  onTestFinished(() => void socket.close())
  return `127.0.0.1:${socket.address().port}`
}

it('TXT records are returned with their parts', async () => {
  const server = await nameServer('_haltless-challenge.example.com', ['haltless-domain-verification=abc', 'other'])
  const found = await createTxtResolver([server])('_haltless-challenge.example.com')
  expect(found.map((parts) => parts.join(''))).toEqual(['haltless-domain-verification=abc', 'other'])
})

it('a name that does not exist is ENOTFOUND', async () => {
  const server = await nameServer('example.com', ['x'])
  await expect(createTxtResolver([server])('nobody.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' })
})
