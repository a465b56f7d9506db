import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { AnswerCompressor, compressResponse } from './compress.ts'

const text = JSON.stringify(Array.from({ length: 500 }, (_, value) => ({ value, unit: 'celsius' })))
const accepting = (encodings: string) => new Headers({ 'accept-encoding': encodings })
const unpack = { br: brotliDecompressSync, gzip: gunzipSync }

describe('a JSON answer', () => {
  it.each(['br', 'gzip'] as const)('is compressed with %s from 1 KB on, where the client accepts it', async (encoding) => {
    const compressor = new AnswerCompressor()
    const { body, headers } = await compressor.ofText(text, accepting(encoding), false)
    expect(headers).toEqual({ vary: 'accept-encoding', 'content-encoding': encoding })
    expect(body.length).toBeLessThan(text.length / 4)
    expect(unpack[encoding](body as Uint8Array).toString()).toBe(text)
    const [below, at] = [await compressor.ofText('x'.repeat(1_023), accepting(encoding), false), 'x'.repeat(1_024)]
    expect(below).toEqual({ body: 'x'.repeat(1_023), headers: { vary: 'accept-encoding' } })
    expect((await compressor.ofText(at, accepting(encoding), false)).headers).toHaveProperty('content-encoding')
  })

  it('is sent as it is to other clients, for HEAD, and while two are being compressed', async () => {
    const compressor = new AnswerCompressor()
    const plain = { body: text, headers: { vary: 'accept-encoding' } }
    for (const encodings of ['', 'identity', 'zstd', 'br;q=0'])
      expect(await compressor.ofText(text, accepting(encodings), false)).toEqual(plain)
    expect(await compressor.ofText(text, accepting('br'), true)).toEqual(plain)
    const answers = await Promise.all([1, 2, 3].map(() => compressor.ofText(text, accepting('br'), false)))
    expect(answers.map(({ headers }) => 'content-encoding' in headers)).toEqual([true, true, false])
    expect((await compressor.ofText(text, accepting('br'), false)).headers).toHaveProperty('content-encoding')
  })
})

describe('a streamed answer', () => {
  const headers = { 'content-type': 'application/json', vary: 'accept' }
  function stream(pieces: string[], fault?: Error) {
    const seen = { read: 0, cancelled: false }
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const piece = pieces[seen.read++]
          if (piece !== undefined) controller.enqueue(Buffer.from(piece))
          else if (fault) controller.error(fault)
          else controller.close()
        },
        cancel: () => {
          seen.cancelled = true
        },
      },
      { highWaterMark: 0 },
    )
    return { body, seen }
  }

  it('is compressed as it is read, and unpacks to the same bytes', async () => {
    const pieces = Array.from({ length: 20 }, (_, i) => `${i}${text}`)
    for (const encoding of ['br', 'gzip'] as const) {
      const response = await compressResponse(new Response(stream(pieces).body, { headers }), accepting(encoding))
      expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([
        encoding,
        'accept, accept-encoding',
      ])
      expect(unpack[encoding](Buffer.from(await response.arrayBuffer())).toString()).toBe(pieces.join(''))
    }
  })

  it('stays as it is when it is short, a file, a range, an event stream, or the client accepts no encoding', async () => {
    const answer = async (body: string, more: Record<string, string>, accept = 'br', status = 200) => {
      const response = await compressResponse(
        new Response(stream([body]).body, { status, headers: { ...headers, ...more } }),
        accepting(accept),
      )
      return [response.headers.get('content-encoding'), await response.text()]
    }
    expect(await answer('[]', {})).toEqual([null, '[]'])
    expect(await answer(text, {}, '')).toEqual([null, text])
    expect(await answer(text, {}, 'br', 206)).toEqual([null, text])
    for (const more of [
      { 'content-type': 'text/event-stream' },
      { etag: '"a"' },
      { 'content-disposition': 'attachment' },
    ] as Record<string, string>[])
      expect(await answer(text, more)).toEqual([null, text])
  })

  it('fails when its source fails, and ends its source when the client leaves', async () => {
    const failing = stream([text], new Error('the database is away'))
    const failed = await compressResponse(new Response(failing.body, { headers }), accepting('br'))
    await expect(failed.arrayBuffer()).rejects.toThrow('the database is away')
    const endless = stream(Array.from({ length: 10_000 }, () => text))
    const left = await compressResponse(new Response(endless.body, { headers }), accepting('br'))
    await left.body?.cancel()
    await expect.poll(() => endless.seen.cancelled).toBe(true)
    expect(endless.seen.read).toBeLessThan(100)
  })
})
