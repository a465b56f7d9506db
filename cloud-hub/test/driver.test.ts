import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { describe, expect, it, vi } from 'vitest'
import { hindrance } from '../src/db/errors.ts'
import { useDatabase } from './harness.ts'

const database = useDatabase()

/** A pool of one connection whose socket the test holds. */
function pool(prepare = (_socket: Socket) => {}) {
  const sockets: Socket[] = []
  const sql = postgres(database.url, {
    max: 1,
    backoff: () => 0,
    // what the driver offers for a socket of one's own is missing from its types
    ...({
      socket: async (options: { host: string[]; port: number[] }) => {
        const socket = connect(options.port[0] as number, options.host[0])
        await once(socket, 'connect')
        prepare(socket)
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
    (error) => (hindrance(error)?.code === 'database_away' ? 'away' : error),
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

  it('in the middle of a transaction never lets the rest of it run on the connection that takes its place', async () => {
    const { sql, newest } = pool()
    await sql`create table strays (n int)`
    let late: unknown
    const transaction = sql.begin(async (tx) => {
      await tx`insert into strays values (1)`
      newest().destroy()
      await sql`select 2`
      late = await failure(tx`insert into strays values (${3})`.execute())
      throw new Error('given up')
    })
    expect(await failure(transaction)).toBe('away')
    await vi.waitFor(() => expect(late).toBe('away'))
    expect(await sql`select n from strays`).toEqual([])
    await sql.end({ timeout: 1 })
  })

  it('in the middle of a transaction fails what the transaction had asked and not yet sent', async () => {
    const { sql, newest } = pool()
    const asked: Promise<unknown>[] = []
    const transaction = sql.begin(async (tx) => {
      asked.push(...[1, 2, 3].map((n) => failure(tx`select ${n}::int, pg_sleep(${n}::int)`.execute())))
      newest().destroy()
      await asked[2]
    })
    expect(await failure(transaction)).toBe('away')
    expect(await Promise.all(asked)).toEqual(['away', 'away', 'away'])
    await sql.end({ timeout: 1 })
  })

  it('under a statement does not pass its error on to the next one, nor keep the pool from ending', async () => {
    const { sql } = pool()
    const killed = failure(sql`select pg_terminate_backend(pg_backend_pid())`.execute())
    expect(await killed).toBe('away')
    expect(await sql`select 3 as n`).toEqual([{ n: 3 }])
    await failure(sql`select pg_terminate_backend(pg_backend_pid())`.execute())
    const started = performance.now()
    await sql.end({ timeout: 5 })
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  it('while it learns the types fails the statement that waits, and not the process', async () => {
    let breaks = true
    const { sql } = pool((socket) => {
      const write = socket.write.bind(socket) as (bytes: Buffer) => boolean
      Object.assign(socket, {
        write: (bytes: Buffer) => {
          if (!breaks || !bytes.includes('pg_catalog.pg_type')) return write(bytes)
          breaks = false
          socket.destroy()
          return false
        },
      })
    })
    expect(await failure(sql`select 1`.execute())).toBe('away')
    expect(breaks).toBe(false)
    expect(await sql`select 3 as n`).toEqual([{ n: 3 }])
    await sql.end()
  })
})

describe('a transaction', () => {
  it('takes one round trip when nothing it asks needs an answer first', async () => {
    const { sql, newest } = pool()
    await sql`create table if not exists trips (n int)`
    const insert = () =>
      sql.begin(async (tx) => {
        tx`insert into trips values (${1})`.execute()
        tx`insert into trips values (${2})`.execute()
      })
    // statements are described to the driver once
    await insert()
    let writes = 0
    const write = newest().write
    newest().write = (...given: unknown[]) => {
      writes++
      return write.apply(newest(), given as never)
    }
    await insert()
    expect(writes).toBe(1)
    expect(await sql`select count(*)::int as n from trips`).toEqual([{ n: 4 }])
    await sql.end()
  })

  it('fails and commits nothing when a statement fails that nobody waited for', async () => {
    const { sql } = pool()
    await sql`create table if not exists unheard (n int not null)`
    const transaction = sql.begin(async (tx) => {
      tx`insert into unheard values (${1})`.execute()
      tx`insert into unheard values (${null})`.execute()
      return 'stored'
    })
    await expect(transaction).rejects.toMatchObject({ code: '23502' })
    expect(await sql`select n from unheard`).toEqual([])
    await sql.end()
  })

  it('lets nothing more be asked once it has ended', async () => {
    const { sql } = pool()
    const transactions: postgres.TransactionSql[] = []
    await sql.begin(async (tx) => {
      transactions.push(tx)
    })
    await sql.begin(async (tx) => transactions.push(tx) && Promise.reject(new Error('given up'))).catch(() => {})
    for (const tx of transactions) await expect(tx`select 1`).rejects.toMatchObject({ code: 'TRANSACTION_ENDED' })
    await sql.end()
  })

  it('that could not begin asks nothing', async () => {
    const { sql } = pool()
    await sql`create table if not exists alone (n int)`
    const begin = sql.begin('isolation level nonsense', async (tx) => {
      await tx`select 1`
      await tx`insert into alone values (1)`
    })
    await expect(begin).rejects.toMatchObject({ code: '42601' })
    expect(await sql`select n from alone`).toEqual([])
    await sql.end()
  })
})
