import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { fullOrShort, runRows, seconds } from '@haltless/protocol/bench'
import { evenly, storeReadings } from '../test/support/stored-readings.ts'
import { addMachines, type BenchHub, fetchText, readAgent, runConcurrently, startBenchHub } from './environment.ts'

/** Clients of each kind; none of them reads responses. */
const CLIENTS = 20
const PIPELINED = 100
const POINTS = 100_000
const LARGEST_FILE = '/docs/reference'
const USERS = 40
const MEASURED = fullOrShort(400, 40)
const [MAX_MEGABYTES, MAX_MILLISECONDS] = [200, 200]

/** Starts a hub with one series of 100,000 readings. @returns also the path of a response with all of them */
async function withReadings(): Promise<{ hub: BenchHub; path: string }> {
  const hub = await startBenchHub({ users: USERS }, { LOG_LEVEL: 'info' })
  await addMachines(hub, 0, 1)
  const end = Math.floor(Date.now() / 60_000) * 60 - 60
  const start = end - POINTS
  const [machine] = await hub.owner<{ id: string }[]>`select id from machines`
  const machineId = machine?.id ?? ''
  const history = evenly(start * 1_000, end * 1_000, 1_000, (_, at) => 50 + ((at / 1_000) % 7) / 10)
  await storeReadings(hub.owner, [{ machineId, metric: 'temperature', unit: 'celsius', ...history }])
  await hub.owner`vacuum analyze`
  const span = new URLSearchParams({ start: new Date(start * 1_000).toISOString(), end: new Date(end * 1_000).toISOString() })
  return { hub, path: `/api/v1/machines/${machineId}/readings?${span}` }
}

/** Opens all clients. Each sends its requests and reads no response. */
function openUnread(hub: BenchHub, path: string): Socket[] {
  const send = (head: string, times: number) => {
    const socket = connect(Number(new URL(hub.url).port), '127.0.0.1')
    socket.on('error', () => {}).pause()
    socket.write(`${head}\r\nHost: hub\r\n`.concat('\r\n').repeat(times))
    return socket
  }
  return Array.from({ length: CLIENTS }, (_, i) => [
    send(`GET ${LARGEST_FILE} HTTP/1.1`, PIPELINED),
    send(`GET /metrics HTTP/1.1`, PIPELINED),
    send(`GET ${path} HTTP/1.1\r\nAuthorization: Bearer ${hub.tokens[i]}`, 1),
  ]).flat()
}

/** Linux only: the second number of statm is resident pages of 4 KB. */
const residentMegabytes = (hub: BenchHub): number =>
  (Number(readFileSync(`/proc/${hub.pid}/statm`, 'utf8').split(' ')[1]) * 4_096) / 1e6

/** One round: the maximum memory that unread responses add to the hub, and the 99th percentile of `/auth/me` meanwhile. */
async function round(hub: BenchHub, path: string): Promise<{ megabytes: number; p99: number }> {
  const before = residentMegabytes(hub)
  const unread = openUnread(hub, path)
  const took: number[] = []
  let most = before
  await runConcurrently(MEASURED, 4, async (i) => {
    took.push(await seconds(() => fetchText(`${hub.url}/api/v1/auth/me`, hub.tokens[i % USERS] as string)))
    most = Math.max(most, residentMegabytes(hub))
  })
  most = Math.max(most, residentMegabytes(hub))
  for (const socket of unread) socket.destroy()
  took.sort((a, b) => a - b)
  return { megabytes: most - before, p99: (took[Math.ceil(took.length * 0.99) - 1] as number) * 1_000 }
}

const row = (name: string, against: string, unit: string, figure: 'megabytes' | 'p99', bound: number) => ({
  row: name,
  against,
  unit,
  prepare: async () => {
    const { hub, path } = await withReadings()
    return { ours: async () => (await round(hub, path))[figure], theirs: () => bound, close: () => hub.close() }
  },
})

await runRows(
  [
    row('unread.memory', `${MAX_MEGABYTES} MB`, 'MB that unread answers add to the hub', 'megabytes', MAX_MEGABYTES),
    row('unread.p99', `${MAX_MILLISECONDS} ms`, 'milliseconds of /auth/me beside them, p99', 'p99', MAX_MILLISECONDS),
  ],
  process.argv.slice(2),
)
readAgent.destroy()
