import { expect, it } from 'vitest'
import { parseFile } from './parse-file.ts'

const HEADER = 'name,machine_identifier,protocol'
/** Takes the reader some tenths of a second. */
const large = Buffer.from(`${HEADER}\n${`${'A,"a",json,'.repeat(7_000)}\n`.repeat(60)}`)

it.each([
  ['processor time', { cpuMs: 0, ms: 60_000 }],
  ['time', { cpuMs: 60_000, ms: 1 }],
])('a file that runs out of %s is refused as 503, because a busy machine is not the fault of the file', async (_, limits) => {
  await expect(parseFile('one', large, undefined, limits)).rejects.toMatchObject({ status: 503, code: 'import_timeout' })
})

const small = Buffer.from(`${HEADER}\nPress,press-1,opc_ua\n`)

it('the time limit of a file starts when its reading starts, not while it waits', async () => {
  const both = await Promise.all(Array.from({ length: 6 }, () => parseFile('one', small)))
  expect(both.map((rows) => rows.length)).toEqual([1, 1, 1, 1, 1, 1])
})

it('the many files of one tenant do not make another tenant wait', async () => {
  const ended: string[] = []
  const parse = (tenant: string) => parseFile(tenant, small).then(() => ended.push(tenant))
  await Promise.all([...Array.from({ length: 11 }, () => parse('busy')), parse('other')])
  expect(ended.indexOf('other')).toBeLessThan(6)
})

it('a file whose client leaves while it waits is never read, and its place is free', async () => {
  const leaving = new AbortController()
  const first = parseFile('one', small)
  const left = Array.from({ length: 10 }, () => parseFile('one', small, leaving.signal))
  leaving.abort()
  const refusals = (await Promise.allSettled(left)).map((file) => file.status === 'rejected' && file.reason.code)
  expect(new Set(refusals)).toEqual(new Set(['import_busy']))
  const next = parseFile('one', small)
  expect([await first, await next]).toHaveLength(2)
})
