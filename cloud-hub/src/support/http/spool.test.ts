import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { AppError } from '../errors.ts'
import { createHttpServer } from './server.ts'
import { fileName, Spool, type SpooledFile, type SpoolOptions } from './spool.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'spool '))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})
const soon = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 60_000, interval: 5 })
const MAX = 100_000

/** A server that receives one file a request, and answers what it received or the code of the refusal. */
async function serve(options: SpoolOptions = {}, use: (file: SpooledFile) => Promise<void> = async () => {}) {
  const place = mkdtempSync(path.join(folder, 'x'))
  const spool = await Spool.open(place, options)
  const outcomes: (SpooledFile | string)[] = []
  let arrived = 0
  const server = createHttpServer({
    requestSeconds: 30,
    trustedProxies: [],
    fetch: async (request: Request) => {
      try {
        const owner = request.headers.get('x-owner') ?? 'a'
        arrived++
        const file = await spool.receive(request, { owner, field: 'file', maxBytes: MAX }, async (received) => {
          expect(createHash('sha256').update(readFileSync(received.path)).digest('hex')).toBe(received.sha256)
          expect(statSync(received.path).mode & 0o077).toBe(0)
          await use(received)
          return received
        })
        outcomes.push(file)
        return Response.json(file)
      } catch (error) {
        const code = error instanceof AppError ? error.code : String(error)
        outcomes.push(code)
        return Response.json({ code }, { status: error instanceof AppError ? error.status : 500 })
      }
    },
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  ends.push(() => {
    server.closeAllConnections()
    return new Promise((done) => server.close(done))
  })
  const { port } = server.address() as AddressInfo
  /** files in the spool */
  const left = () => readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
  const send = async (form: FormData, headers = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: form, headers })
    return { status: answer.status, body: (await answer.json()) as { code: string } & SpooledFile }
  }
  return { port, send, left, arrived: () => arrived, outcomes, spool, place }
}
const formWith = (bytes: Uint8Array | string, name = 'a.bin', field = 'file') => {
  const form = new FormData()
  form.append(field, new Blob([bytes as string]), name)
  return form
}
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const PART = (name: string) => `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
const head = (length: number) =>
  `POST / HTTP/1.1\r\nHost: hub\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${length}\r\n\r\n`

describe('an upload', () => {
  it('of exactly the limit is received with its size and SHA-256, and one byte more is refused with 413', async () => {
    const { send, left } = await serve()
    const bytes = randomBytes(MAX)
    expect(await send(formWith(bytes))).toMatchObject({ status: 200, body: { name: 'a.bin', size: MAX, sha256: sha256(bytes) } })
    const over = await send(formWith(Buffer.concat([bytes, Buffer.from('x')])))
    expect(over).toEqual({ status: 413, body: { code: 'payload_too_large' } })
    expect(left()).toBe(0)
  })

  it('that is empty is received', async () => {
    const { send } = await serve()
    expect(await send(formWith(''))).toMatchObject({ status: 200, body: { size: 0, sha256: sha256(Buffer.alloc(0)) } })
  })

  it('with a second file is refused, so that none is lost silently, and leaves no file', async () => {
    const { send, left } = await serve()
    for (const field of ['file', 'other']) {
      const form = formWith('abc', 'a')
      form.append(field, new Blob(['def']), 'b')
      expect(await send(form)).toEqual({ status: 422, body: { code: 'validation_failed' } })
    }
    expect(left()).toBe(0)
  })

  it('without the part, without a boundary, cut in its middle or of another media type is refused and leaves no file', async () => {
    const { send, left, port } = await serve()
    expect(await send(formWith('abc', 'a', 'other'))).toEqual({ status: 422, body: { code: 'validation_failed' } })
    const post = async (body: string, type: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers: { 'content-type': type } })
      return [answer.status, ((await answer.json()) as { code: string }).code]
    }
    expect(await post('{}', 'application/json')).toEqual([415, 'unsupported_media_type'])
    expect(await post('', 'multipart/form-data; boundary=')).toEqual([400, 'malformed_multipart'])
    expect(await post('', 'multipart/form-data; boundary=x')).toEqual([400, 'malformed_multipart'])
    expect(await post(`${PART('a')}bytes without an end`, 'multipart/form-data; boundary=x')).toEqual([
      400,
      'malformed_multipart',
    ])
    expect(await post('no form at all', 'multipart/form-data; boundary=x')).toEqual([400, 'malformed_multipart'])
    expect(left()).toBe(0)
  })

  it('may have other fields, which are ignored', async () => {
    const { send, left } = await serve()
    const form = new FormData()
    form.append('note', 'text')
    form.append('file', new Blob(['first']), 'first.txt')
    expect((await send(form)).body).toMatchObject({ name: 'first.txt', size: 5 })
    expect(left()).toBe(0)
  })

  it('with endless other parts is refused with 413', async () => {
    const { send } = await serve()
    const form = formWith('abc')
    form.append('other', new Blob([Buffer.alloc(MAX)]), 'large')
    form.append('another', new Blob([Buffer.alloc(MAX)]), 'large')
    expect((await send(form)).status).toBe(413)
  })

  it('whose client disconnects in the middle leaves no file', async () => {
    const { port, left, outcomes } = await serve()
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(head(90_000) + PART('a') + 'x'.repeat(50_000))
    await soon(() => expect(left()).toBe(1))
    socket.resetAndDestroy()
    await soon(() => expect(outcomes).toEqual(['body_aborted']))
    expect(left()).toBe(0)
  })

  it('whose client pauses for too long is refused', async () => {
    const { port, left, outcomes } = await serve({ idleMs: 50 })
    const socket = connect(port, '127.0.0.1')
    ends.push(() => socket.destroy())
    socket.on('error', () => {}).write(head(90_000) + PART('a') + 'x'.repeat(50_000))
    await soon(() => expect(outcomes).toEqual(['body_aborted']))
    expect(left()).toBe(0)
  })

  it('is refused while its owner sends as many as it may, and others are received', async () => {
    const gate = Promise.withResolvers<void>()
    const { send, left } = await serve({ maxPerOwner: 2, waitMs: 20 }, () => gate.promise)
    const first = [send(formWith('1')), send(formWith('2'))]
    await soon(() => expect(left()).toBe(2))
    expect(await send(formWith('3'))).toEqual({ status: 503, body: { code: 'uploads_busy' } })
    const other = send(formWith('4'), { 'x-owner': 'b' })
    await soon(() => expect(left()).toBe(3))
    gate.resolve()
    for (const one of [...first, other]) expect((await one).status).toBe(200)
    expect((await send(formWith('5'))).status).toBe(200)
  })

  it('gets its turn before the many uploads of another owner that came first', async () => {
    const [begun, gate] = [[] as string[], Promise.withResolvers<void>()]
    const { send, arrived } = await serve({ maxUploads: 1, maxPerOwner: 8, waitMs: 60_000 }, async ({ name }) => {
      begun.push(name)
      await gate.promise
    })
    const busy = Array.from({ length: 8 }, () => send(formWith('x', 'busy')))
    await soon(() => expect([arrived(), begun.length]).toEqual([8, 1]))
    const other = send(formWith('x', 'other'), { 'x-owner': 'b' })
    await soon(() => expect(arrived()).toBe(9))
    gate.resolve()
    for (const one of [...busy, other]) expect((await one).status).toBe(200)
    expect(begun.indexOf('other')).toBe(1)
  })

  it('fails as a fault of the hub when its file cannot be written', async () => {
    const { send, place } = await serve()
    const own = path.join(place, readdirSync(place)[0] as string)
    rmSync(own, { recursive: true })
    writeFileSync(own, '')
    expect((await send(formWith('abc'))).body.code).toContain('ENOTDIR')
  })
})

describe('a spool', () => {
  it('receives uploads after another host deleted its folder, which had not changed for an hour', async () => {
    const { send, place } = await serve()
    for (const name of readdirSync(place)) rmSync(path.join(place, name), { recursive: true })
    expect((await send(formWith('abc'))).status).toBe(200)
  })
})

describe('the name of a file', () => {
  it('survives in every script, loses folders and control characters, and is cut with its ending kept', () => {
    expect(fileName('Müller – 中文 🙂.pdf')).toBe('Müller – 中文 🙂.pdf')
    expect(fileName('C:\\Users\\me\\plan.pdf')).toBe('plan.pdf')
    expect(fileName('../../etc/passwd')).toBe('passwd')
    expect(fileName('a\r\nSet-Cookie: x\u0000.txt')).toBe('aSet-Cookie: x.txt')
    expect(fileName('invoice\u202efdp.exe')).toBe('invoicefdp.exe')
    expect(fileName('say %22hi%22.txt')).toBe('say "hi".txt')
    expect(fileName('\ud800.txt')).toBe('\ufffd.txt')
    for (const empty of [undefined, '', '.', '..', ' ', '/']) expect(fileName(empty)).toBe('file')
    expect([...fileName(`${'🙂'.repeat(300)}.pdf`)]).toHaveLength(255)
    expect(fileName(`${'x'.repeat(300)}.pdf`)).toMatch(/x\.pdf$/)
  })

  it('arrives as the client sent it', async () => {
    const { send } = await serve()
    for (const name of ['Prüfprotokoll "neu".txt', '検査.txt', "it's; a=b.txt"])
      expect((await send(formWith('a', name))).body.name).toBe(name)
  })
})

describe('the start of a spool', () => {
  it('deletes what ended processes left, and nothing of a running one', async () => {
    const place = mkdtempSync(path.join(folder, 'sweep'))
    const ended = `${hostname()}.999999999.0a1b2c3d`
    const reused = `${hostname()}.${process.pid}.0a1b2c3d`
    const running = `${hostname()}.${process.ppid}.0a1b2c3d`
    const elsewhere = 'another-host.1.0a1b2c3d'
    for (const name of [ended, reused, running, elsewhere]) {
      mkdirSync(path.join(place, name))
      writeFileSync(path.join(place, name, 'upload'), 'x')
    }
    const spool = await Spool.open(place)
    const own = readdirSync(place).filter((name) => ![running, elsewhere].includes(name))
    expect([existsSync(path.join(place, running)), existsSync(path.join(place, elsewhere)), own.length]).toEqual([true, true, 1])
    await Spool.open(place)
    expect(readdirSync(place)).toContain(own[0])
    await spool.close()
    expect(readdirSync(place)).not.toContain(own[0])
  })
})
