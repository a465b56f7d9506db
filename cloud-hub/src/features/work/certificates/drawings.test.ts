import { expect, it } from 'vitest'
import { Drawings } from './drawings.ts'

const { signal } = new AbortController()
const pdf = Buffer.from('%PDF')

/** A drawing that ends when the test says so. */
function drawing() {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const draw = () => {
    it.begun++
    return promise
  }
  const it = { draw, end: () => resolve(pdf), fail: () => reject(new Error('no')), begun: 0 }
  return it
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

it('a long certificate is drawn once: its clients get 503 with Retry-After meanwhile, and the kept one afterwards', async () => {
  const drawings = new Drawings({ patienceMs: 5 })
  const long = drawing()
  const get = () => drawings.get('k', 'a', signal, long.draw)
  const refused = { code: 'certificate_under_way', status: 503 }
  for (const client of [get(), get()]) await expect(client).rejects.toMatchObject(refused)
  await expect(get()).rejects.toMatchObject({ ...refused, headers: { 'retry-after': '10' } })
  long.end()
  await turn()
  expect(await get()).toBe(pdf)
  expect(long.begun).toBe(1)
})

it('a certificate that no client waits for any more is not begun; one that another client waits for is', async () => {
  const drawings = new Drawings({ slots: 1 })
  const [first, left, wanted] = [drawing(), drawing(), drawing()]
  const answer = drawings.get('1', 'a', signal, first.draw)
  const leaving = new AbortController()
  const gone = [drawings.get('2', 'a', leaving.signal, left.draw), drawings.get('3', 'b', leaving.signal, wanted.draw)]
  const stays = drawings.get('3', 'b', signal, wanted.draw)
  leaving.abort()
  for (const client of gone) await expect(client).rejects.toMatchObject({ status: 503 })
  first.end()
  wanted.end()
  expect([await answer, await stays]).toEqual([pdf, pdf])
  expect([left.begun, wanted.begun]).toEqual([0, 1])
})

it('a failure that no client saw is the answer to the next, and the one after draws again', async () => {
  const drawings = new Drawings({ patienceMs: 1 })
  const broken = drawing()
  await expect(drawings.get('k', 'a', signal, broken.draw)).rejects.toMatchObject({ code: 'certificate_under_way' })
  broken.fail()
  await turn()
  await expect(drawings.get('k', 'a', signal, broken.draw)).rejects.toThrow('no')
  expect(await drawings.get('k', 'a', signal, async () => pdf)).toBe(pdf)
})

it('a failure of long ago is not the answer to the next client', async () => {
  const drawings = new Drawings({ patienceMs: 1, keptMs: 0 })
  const broken = drawing()
  await expect(drawings.get('k', 'a', signal, broken.draw)).rejects.toMatchObject({ code: 'certificate_under_way' })
  broken.fail()
  await turn()
  expect(await drawings.get('k', 'a', signal, async () => pdf)).toBe(pdf)
})

it('kept certificates have a limit in bytes and time, but the newest is kept whatever its size', async () => {
  let drawn = 0
  const draw = async () => {
    drawn++
    return pdf
  }
  const small = new Drawings({ keptBytes: 2 * pdf.length })
  for (const key of ['1', '2', '3', '2', '3']) await small.get(key, 'a', signal, draw)
  expect(drawn).toBe(3)
  await small.get('1', 'a', signal, draw)
  expect(drawn).toBe(4)
  const one = new Drawings({ keptBytes: 1 })
  for (const key of ['1', '1']) await one.get(key, 'a', signal, draw)
  expect(drawn).toBe(5)
  const none = new Drawings({ keptMs: 0 })
  for (const key of ['1', '1']) await none.get(key, 'a', signal, draw)
  expect(drawn).toBe(7)
})
