import { createServer } from 'node:http'
import postgres from '../src/db/driver.ts'

/**
 * The shortest path from rows to an answer, in a separate process: an indexed query, JSON, HTTP. Arguments: the database, and the
 * first and the last instant in Unix ms. Prints its port.
 */
const [databaseUrl, from, until] = process.argv.slice(2) as [string, string, string]
const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
const server = createServer(async (_request, response) => {
  const rows = await sql<{ ts: Date; value: number }[]>`
    select ts, value from bench_rows
    where series_id = 1 and ts between ${new Date(Number(from))} and ${new Date(Number(until))} order by ts`
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(rows.map(({ ts, value }) => ({ timestamp: ts, value }))))
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as { port: number }).port}\n`))
