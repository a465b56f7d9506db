import { createServer } from 'node:net'
import { Aedes } from 'aedes'
import postgres from '../src/db/driver.ts'

/**
 * The shortest path from a crossing to a webhook, in a separate process: a broker, one committed row, one POST. Arguments: the
 * database and the receiver. Prints its MQTT port.
 */
const [databaseUrl, receiver] = process.argv.slice(2) as [string, string]
const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
await sql`create table if not exists bench_alerts (id int generated always as identity primary key, value float8 not null)`
const aedes = await Aedes.createBroker({
  authorizePublish: (_client, packet, done) => {
    done(null)
    const value = Number(packet.payload.toString())
    sql`insert into bench_alerts (value) values (${value})`.then(() =>
      fetch(receiver, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ value }) }),
    )
  },
})
const server = createServer({ noDelay: true }, (socket) => void aedes.handle(socket))
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as { port: number }).port}\n`))
