import { expect, it } from 'vitest'
import { writeInstant } from '../src/db/pools.ts'
import { plant, useHub } from './harness.ts'

const hub = useHub()

/** The first and the last instants that four digits of a year can name, and those one beyond what a range may cover. */
const EXTREMES = ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T00:00:00Z', '9999-12-31T23:59:59.999Z']
const DATES = ['0000-01-01', '0001-01-01', '9999-12-31']

interface Parameter {
  in: string
  name: string
  schema: { format?: string; anyOf?: { format?: string }[] }
}

it('no instant or date in the query of an operation that reads is answered with 500', async () => {
  const { body: document } = await hub.call('GET', 'openapi.json')
  const failures: string[] = []
  let calls = 0
  for (const [path, operations] of Object.entries(document.paths as Record<string, { get?: { parameters?: Parameter[] } }>)) {
    const formatOf = ({ schema }: Parameter) => schema.format ?? schema.anyOf?.find(({ format }) => format)?.format
    const named = operations.get?.parameters?.filter(
      (parameter) => parameter.in === 'query' && /^date/.test(formatOf(parameter) ?? ''),
    )
    if (!named?.length) continue
    const { admin, machine, key, identifier } = await plant(hub)
    await hub.send(key, [{ machine: identifier, value: 1 }])
    const url = path.replaceAll(/\{\w+\}/g, machine.id)
    const values = named.some((parameter) => formatOf(parameter) === 'date') ? [...EXTREMES, ...DATES] : EXTREMES
    const [first, last] = [named[0], named.at(-1)] as [Parameter, Parameter]
    const queries = values.flatMap((value) => [
      `${first.name}=${value}`,
      `${last.name}=${value}`,
      ...values.map((other) => `${first.name}=${value}&${last.name}=${other}`),
    ])
    for (const query of queries) {
      // within the rate limit
      if (calls++ % 20 === 0) hub.clock.advance(60)
      const { status } = await admin.call('GET', `${url}?${query}`)
      if (![200, 404, 422].includes(status)) failures.push(`${status} GET ${path}?${query}`)
    }
  }
  expect(calls).toBeGreaterThan(100)
  expect(failures).toEqual([])
})

it.each([
  -62_198_755_200_001, -62_167_219_200_001, -62_167_219_200_000, -62_135_596_800_001, -62_135_596_800_000, 0, 253_402_300_799_999,
  253_402_300_800_000, 400_000_000_000_000,
])('PostgreSQL reads an instant of any year as it is written: %d ms since 1970', async (ms) => {
  const [row] = await hub.owner<[{ ms: number }]>`
    select (extract(epoch from ${writeInstant(ms)}::text::timestamptz) * 1000)::float8 as ms`
  expect(row.ms).toBe(ms)
})
