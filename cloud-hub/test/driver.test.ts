import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { isDatabaseAway } from '../src/db/errors.ts'
import { useDatabase } from './harness.ts'

const database = useDatabase()

/** A pool of one connection whose socket the test holds. */
function pool() {
  const sockets: Socket[] = []
  const sql = postgres(database.url, {
    max: 1,
    backoff: () => 0,
    // what the driver offers for a socket of one's own is missing from its types
    ...({
      socket: async (options: { host: string[]; port: number[] }) => {
        const socket = connect(options.port[0] as number, options.host[0])
        await once(socket, 'connect')
        sockets.push(socket)
        return socket
      },
    } as object),
  })
  return { sql, newest: () => sockets.at(-1) as Socket }
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    (error) => (isDatabaseAway(error) ? 'away' : error),
  )

describe('a connection that breaks', () => {
  it('before a statement was sent fails the statement, and the next one has a connection that sends', async () => {
    const { sql, newest } = pool()
    await sql`select 1`
    const under = failure(sql`select 2`.execute())
    newest().destroy()
    expect(await under).toBe('away')
    expect(await sql`select 3 as n`).toEqual([{ n: 3 }])
    await sql.end()
  })

  it('in the middle of a transaction fails the transaction and all that it still asks, and nothing else', async () => {
    const { sql, newest } = pool()
    let later: unknown
    const transaction = sql.begin(async (tx) => {
      await tx`select 1`
      const gone = once(newest(), 'close')
      newest().destroy()
      await gone
      later = await failure(tx`select 2`.execute())
      throw new Error('given up')
    })
    expect(await failure(transaction)).toBe('away')
    expect(await sql`select 3 as n`).toEqual([{ n: 3 }])
    expect(later).toBe('away')
    await sql.end()
  })

  it('with an error fails also what was asked after the error', async () => {
    const { sql, newest } = pool()
    const transaction = sql.begin(async (tx) => {
      await tx`select 1`
      newest().destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
      await tx`select 2`
    })
    expect(await failure(transaction)).toBe('away')
    expect(await sql`select 3 as n`).toEqual([{ n: 3 }])
    await sql.end()
  })
})
