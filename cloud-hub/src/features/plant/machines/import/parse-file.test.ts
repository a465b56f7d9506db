import { expect, it } from 'vitest'
import { parseFile } from './parse-file.ts'

const HEADER = 'name,machine_identifier,protocol'
/** Takes the reader some tenths of a second. */
const large = Buffer.from(`${HEADER}\n${`${'A,"a",json,'.repeat(7_000)}\n`.repeat(60)}`)

it.each([
  ['processor time', { cpuMs: 0, ms: 60_000 }],
  ['time', { cpuMs: 60_000, ms: 1 }],
])('a file that runs out of %s is refused as 503, because a busy machine is not the fault of the file', async (_, limits) => {
  await expect(parseFile('one', large, limits)).rejects.toMatchObject({ status: 503, code: 'import_timeout' })
})

it('the time limit of a file starts when its reading starts, not while it waits', async () => {
  const small = Buffer.from(`${HEADER}\nPress,press-1,opc_ua\n`)
  const both = await Promise.all(Array.from({ length: 6 }, () => parseFile('one', small)))
  expect(both.map((rows) => rows.length)).toEqual([1, 1, 1, 1, 1, 1])
})
