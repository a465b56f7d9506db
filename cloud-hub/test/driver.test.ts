import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Sql, TransactionSql } from 'postgres'
import { describe, expect, it } from 'vitest'
import { byteaArray, float8Array, int2Array, int4Array, uuidArray, uuidBytes, xid8Array } from '../src/db/binary-array.ts'
import postgres from '../src/db/driver.ts'
import { transientDbError } from '../src/db/errors.ts'
import { pipelined } from '../src/db/pools.ts'
import { useDatabase } from './harness.ts'
import { soon } from './soon.ts'

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
    (error) => (transientDbError(error)?.code === 'database_away' ? 'away' : error),
  )

describe('rows that are copied out', () => {
  it('may all have arrived before they are read, as on a busy machine: the next statement is answered', async () => {
    const { sql } = pool()
    // the end comes with the rows that fill the buffer of the stream, which pauses the socket
    const rows = await sql
      .unsafe(
        `copy (select repeat('x', 99) || case when i = 600 then pg_sleep(0.2)::text else '' end from generate_series(1, 700) i) to stdout`,
      )
      .readable()
    await soon(() => expect(rows.readableLength).toBe(700 * 100))
    let bytes = 0
    for await (const chunk of rows) bytes += (chunk as Buffer).length
    expect(bytes).toBe(700 * 100)
    expect(await sql`select 3 as n`).toEqual([{ n: 3 }])
    await sql.end()
  })
})

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
    await soon(() => expect(late).toBe('away'))
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
    expect(performance.now() - started).toBeLessThan(4_500)
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

  it('rejects statements after its end', async () => {
    const { sql } = pool()
    const transactions: TransactionSql[] = []
    await sql.begin(async (tx) => {
      transactions.push(tx)
    })
    await sql.begin(async (tx) => transactions.push(tx) && Promise.reject(new Error('given up'))).catch(() => {})
    for (const tx of transactions) await expect(tx`select 1`).rejects.toMatchObject({ code: 'TRANSACTION_ENDED' })
    await sql.end()
  })

  it('sends no statement when its BEGIN failed', async () => {
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

describe('a pipelined transaction', () => {
  const asked = <T>(sql: Sql, ask: (tx: TransactionSql) => Promise<T>) => pipelined(sql, 'begin', ask)
  const numbers = (n: number) => (tx: TransactionSql) =>
    Promise.all([
      tx`select ${n}::int as n`,
      tx`select generate_series(1, ${n}::int) as n`,
      tx`select ${'x'}::text as n where ${n}::int < 0`,
    ]).then((all) => all.map((rows) => rows.map((row) => row.n)))

  it('is one transaction also where statements must be prepared first, or cannot be cached', async () => {
    const { sql } = pool()
    await sql`create table if not exists unknown (n int not null)`
    const insert = (...values: (number | null)[]) =>
      asked(sql, (tx) =>
        Promise.all([
          tx.unsafe('insert into unknown values (0)'),
          ...values.map((n) => tx.unsafe(`insert into unknown values ($1) -- ${n}`, [n], { prepare: n !== 2 })),
          tx`select count(*)::int as n from unknown`,
        ]).then((all) => all.at(-1)?.[0]?.n),
      )
    expect(await insert(1, 2)).toBe(3)
    expect(await insert(1, 2)).toBe(6)
    await expect(insert(3, null, 4)).rejects.toMatchObject({ code: '23502' })
    expect(await insert()).toBe(7)
    await expect(
      pipelined(sql, 'begin read only', (tx) => tx`insert into unknown values (5)`.then(() => 'written')),
    ).rejects.toMatchObject({ code: '25006' })
    expect(await sql`select count(*)::int as n from unknown`).toEqual([{ n: 7 }])
    await sql.end()
  })

  it.each([
    ['a tick', process.nextTick],
    ['a timer', setImmediate],
  ])('contains all its statements also where it begins in the callback of %s', async (_, later) => {
    const { sql } = pool()
    const begun = () =>
      new Promise((resolve, reject) => {
        later(() => void asked(sql, async (tx) => (await tx`select ${7}::int as n`)[0]?.n).then(resolve, reject))
      })
    expect([await begun(), await begun()]).toEqual([7, 7])
    await sql.end()
  })

  it('sends no statement when its BEGIN failed, and the connection serves the next transaction', async () => {
    const { sql } = pool()
    await sql`create table if not exists not_begun (n int)`
    const insert = pipelined(sql, 'begin nonsense' as 'begin', (tx) => tx`insert into not_begun values (${1})`)
    await expect(insert).rejects.toMatchObject({ code: '42601' })
    expect(await sql`select n from not_begun`).toEqual([])
    await sql.end()
  })

  it('resolves after the commit: a failure at commit rejects all of its statements', async () => {
    const { sql } = pool()
    await sql`create table if not exists checked_late (n int unique deferrable initially deferred)`
    const insert = (n: number) =>
      asked(sql, async (tx) => {
        tx`insert into checked_late values (${n})`.execute()
        return 'stored'
      })
    expect(await insert(1)).toBe('stored')
    await expect(insert(1)).rejects.toMatchObject({ code: '23505' })
    const other = pool().sql
    await expect(
      asked(other, async (tx) => {
        tx`insert into checked_late values (${1})`.execute()
      }),
    ).rejects.toMatchObject({ code: '23505' })
    expect(await other`select n from checked_late`).toEqual([{ n: 1 }])
    await Promise.all([sql.end(), other.end()])
  })

  it('sends all statements at once and resolves each with its own result', async () => {
    const { sql, newest } = pool()
    await asked(sql, numbers(1))
    let [writes, answers] = [0, 0]
    const write = newest().write
    newest().write = (...given: unknown[]) => {
      writes++
      return write.apply(newest(), given as never)
    }
    // ReadyForQuery
    newest().on('data', (bytes) => {
      answers += bytes.toString('latin1').match(/Z....[TIE]/g)?.length ?? 0
    })
    expect(await asked(sql, numbers(3))).toEqual([[3], [1, 2, 3], []])
    expect([writes, answers]).toEqual([1, 1])
    await sql.end()
  })

  it('is one transaction: a SET LOCAL applies to all statements, and a failure rolls back the earlier ones', async () => {
    const { sql } = pool()
    await sql`create table if not exists undone (n int not null)`
    const told = (name: string) => (tx: TransactionSql) => {
      tx`select set_config('app.name', ${name}, true)`.execute()
      return tx`select current_setting('app.name', true) as name`
    }
    await asked(sql, told('first'))
    expect(await asked(sql, told('second'))).toEqual([{ name: 'second' }])
    expect(await sql`select nullif(current_setting('app.name', true), '') as name`).toEqual([{ name: null }])
    const insert = (...values: (number | null)[]) =>
      asked(sql, (tx) => Promise.all(values.map((value) => tx`insert into undone values (${value})`)))
    await insert(1)
    for (const values of [
      [2, null, 3],
      [null, 2, 3],
      [2, 3, null],
    ])
      await expect(insert(...values)).rejects.toMatchObject({ code: '23502' })
    await insert(4)
    expect(await sql`select n from undone order by n`).toEqual([{ n: 1 }, { n: 4 }])
    await sql.end()
  })

  it('fails as a whole when a value cannot be serialized, and the connection serves the next transaction', async () => {
    const { sql } = pool()
    const times = (...values: Date[]) =>
      asked(sql, (tx) => Promise.all(values.map((value) => tx`select ${value}::timestamptz as at`)))
    await times(new Date(0))
    await expect(times(new Date(1), new Date(Number.NaN))).rejects.toThrow(RangeError)
    expect((await times(new Date(3))).flat()).toEqual([{ at: new Date(3) }])
    await sql.end()
  })

  it('fails once when a cached plan is invalid, and succeeds afterwards', async () => {
    const { sql } = pool()
    await sql`create table if not exists outgrown (n int)`
    const read = () => asked(sql, (tx) => Promise.all([tx`select * from outgrown where n > ${0}`, tx`select ${1}::int as n`]))
    await read()
    await sql`alter table outgrown add column m int`
    await expect(read()).rejects.toMatchObject({ code: '0A000' })
    expect(await read()).toEqual([[], [{ n: 1 }]])
    await sql.end()
  })

  it('rejects all statements when the connection breaks, before or during the transaction', async () => {
    const { sql, newest } = pool()
    const ask = (seconds: number) => (tx: TransactionSql) =>
      Promise.all([tx`select pg_sleep(${seconds})`, tx`select ${3}::int as n`])
    await asked(sql, ask(0))
    const under = failure(asked(sql, ask(20)))
    const looking = postgres(database.url, { max: 1 })
    await soon(async () => {
      const active = await looking`select 1 from pg_stat_activity where state = 'active' and query like 'select pg_sleep($1)%'`
      expect(active).toHaveLength(1)
    })
    await looking.end()
    newest().destroy()
    expect(await under).toBe('away')
    expect((await asked(sql, ask(0)))[1]).toEqual([{ n: 3 }])
    await sql.end()
    const nobody = postgres({ host: '127.0.0.1', port: 1, max: 1, connect_timeout: 1 })
    expect(await failure(asked(nobody, ask(0)))).toBe('away')
    await nobody.end()
    expect(await failure(asked(nobody, ask(0)))).toBe('away')
  })

  it('excludes statements of other callers, and accepts none after it was sent', async () => {
    const { sql } = pool()
    await asked(sql, numbers(2))
    const [both, alone] = await Promise.all([asked(sql, numbers(2)), sql`select 7 as n`])
    expect([both, alone]).toEqual([[[2], [1, 2], []], [{ n: 7 }]])
    const late = asked(sql, async (tx) => {
      await tx`select ${1}::int as n`
      return tx`select ${2}::int as n`
    })
    await expect(late).rejects.toMatchObject({ code: 'TRANSACTION_ENDED' })
    await sql.end()
  })
})

describe('bytes in binary', () => {
  const bytes = Buffer.from(Array.from({ length: 300 }, (_, i) => i % 256))

  it('arrives byte for byte as parameter, array and column, in the first and in later runs of a statement', async () => {
    const { sql } = pool()
    for (let run = 0; run < 3; run++)
      for (const value of [bytes, Buffer.alloc(0), new Uint8Array([0, 92, 255])]) {
        const [row] = await sql`
          select ${value}::bytea as own, ${byteaArray(sql, [value, bytes])} as both, ${byteaArray(sql, [])} as none, null::bytea as missing,
            encode(${value}::bytea, 'hex') as hex, ${run}::int as n`
        expect(row).toEqual({
          own: Buffer.from(value),
          both: [Buffer.from(value), bytes],
          none: [],
          missing: null,
          hex: Buffer.from(value).toString('hex'),
          n: run,
        })
      }
    await sql.end()
  })

  it('carries arrays of ids and numbers, with nulls and without items', async () => {
    const { sql } = pool()
    const ids = ['00000000-0000-0000-0000-000000000000', '0193c6a0-7d5e-7b1c-9f00-ffeeddccbbaa']
    const floats = [0, -0.1, 1e300, Number.NaN, Number.NEGATIVE_INFINITY, 253_402_300_799_999]
    const xids = [0, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER, null]
    for (let run = 0; run < 2; run++) {
      const [row] = await sql`
        select ${uuidArray(sql, ids.map(uuidBytes))} as ids, ${float8Array(sql, floats)} as floats, ${int4Array(sql, [-(2 ** 31), 0, 2 ** 31 - 1])} as ints,
          ${int2Array(sql, [-32_768, 32_767])} as small, to_json(${xid8Array(sql, xids)}::text[]) as xids, ${uuidArray(sql, [])} as none`
      const ints = [-(2 ** 31), 0, 2 ** 31 - 1]
      expect(row).toEqual({
        ids,
        floats,
        ints,
        small: [-32_768, 32_767],
        xids: xids.map((id) => id?.toString() ?? null),
        none: [],
      })
    }
    await sql.end()
  })

  it('refuses arrays with items that are no ids or numbers of their type', () => {
    const { sql } = pool()
    expect(() => uuidArray(sql, [Buffer.alloc(2)])).toThrow('a uuid of 2 bytes')
    expect(() => float8Array(sql, [1, undefined as never])).toThrow('item 1 of a parameter is missing')
    expect(() => xid8Array(sql, [Number.NaN])).toThrow('NaN is no id of a transaction')
  })

  it('is text for raw rows, and as a value in rows of a pipeline, a cursor and forEach', async () => {
    const { sql } = pool()
    const statement = () => sql`select ${bytes}::bytea as b, 'x' as t`
    for (let run = 0; run < 2; run++) {
      expect((await statement().raw())[0]?.[0]?.toString()).toBe(`\\x${bytes.toString('hex')}`)
      expect((await statement().values())[0]).toEqual([bytes, 'x'])
      const seen: unknown[] = []
      await statement().forEach((row) => {
        seen.push(row.b)
      })
      for await (const [row] of statement().cursor(1)) seen.push(row?.b)
      expect(seen).toEqual([bytes, bytes])
      const [[piped]] = await pipelined(sql, 'begin', (tx) => Promise.all([tx<{ b: Buffer }[]>`select ${bytes}::bytea as b`]))
      expect(piped?.b).toEqual(bytes)
    }
    await sql.end()
  })

  it('survives a change of the column to text and back', async () => {
    const { sql } = pool()
    await sql`create table changing (b bytea)`
    await sql`insert into changing values (${bytes})`
    const read = async () => (await sql`select b from changing`)[0]?.b
    for (let run = 0; run < 2; run++) expect(await read()).toEqual(bytes)
    await sql`alter table changing alter b type text using encode(b, 'hex')`
    for (let run = 0; run < 2; run++) expect(await read()).toBe(bytes.toString('hex'))
    await sql`alter table changing alter b type bytea using decode(b, 'hex')`
    for (let run = 0; run < 2; run++) expect(await read()).toEqual(bytes)
    await sql.end()
  })
})
