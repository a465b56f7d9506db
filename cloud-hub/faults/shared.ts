import { randomBytes, randomUUID } from 'node:crypto'
import path from 'node:path'
import type { Sql } from 'postgres'
import postgres from '../src/db/driver.ts'
import { startEmbeddedPostgres } from '../src/db/embedded/index.ts'
import { type Mosquitto, prepareMosquitto } from '../test/support/mosquitto.ts'
import { type HubProcess, hubProcess } from './hub-process.ts'
import type { RowContext } from './row.ts'
import { mqttTransport, type Transport } from './transports.ts'

/** A PostgreSQL of the row's own, with its default durability. */
export interface SharedDatabase {
  url: string
  pid: number
  /** a connection of the owner, who sees all tenants */
  owner: Sql
  /** log lines about deadlocks: the statements that waited for each other */
  deadlocks: string[]
}

export async function startDatabase(context: RowContext, dataDir = path.join(context.dir, 'postgres')): Promise<SharedDatabase> {
  const deadlocks: string[] = []
  let isAbout = false
  const log = (line: string) => {
    if (/ (ERROR|LOG|FATAL|WARNING): /.test(line)) isAbout = line.includes('deadlock detected')
    if (isAbout) deadlocks.push(line)
  }
  const server = await startEmbeddedPostgres({ dataDir, restart: false, log })
  context.defer(() => server.stop())
  const owner = postgres(server.url(), { max: 4, onnotice: () => {}, connection: { application_name: 'faults' } })
  context.defer(() => owner.end({ timeout: 1 }))
  return { url: server.url(), pid: server.pid, owner, deadlocks }
}

/** A PostgreSQL and a Mosquitto, and the settings of a hub that uses them. */
export async function prepareShared(context: RowContext) {
  const database = await startDatabase(context)
  const mosquitto = await prepareMosquitto(context.dir)
  context.defer(() => mosquitto.remove())
  mosquitto.user('hub', 'hub-password')
  await mosquitto.start()
  const env = {
    DATABASE_URL: database.url,
    SECRET_KEY: randomBytes(32).toString('base64'),
    MQTT_URL: mosquitto.url,
    MQTT_USERNAME: 'hub',
    MQTT_PASSWORD: 'hub-password',
  }
  return { database, mosquitto, env }
}

/** Replicas on one PostgreSQL and one Mosquitto; not started yet. */
export interface SharedHubs {
  database: SharedDatabase
  mosquitto: Mosquitto
  hubs: HubProcess[]
  /** an agent that may log in at Mosquitto */
  agentTransport(tenant: { tenantId: string }, agentId: string): Transport
}

export async function prepareReplicas(context: RowContext, count: number): Promise<SharedHubs> {
  const { database, mosquitto, env } = await prepareShared(context)
  const hubs = await Promise.all(Array.from({ length: count }, () => hubProcess(context, env)))
  return {
    database,
    mosquitto,
    hubs,
    agentTransport({ tenantId }, agentId) {
      const [username, password] = [`${tenantId}/${agentId}`, randomUUID()]
      mosquitto.user(username, password)
      return mqttTransport(mosquitto.url, { tenantId, agentId, username, password })
    },
  }
}
