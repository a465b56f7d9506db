import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { plantMachines } from '@haltless/edge-agent/plant'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { PASSWORD, useDatabase } from './harness.ts'
import { endAll, keptPort, NODEW, root, run, surroundings, until } from './processes.ts'

/** `install/compose-plant.sh` with a program in place of `docker`: it runs what the hub's container would, and records the broker's users. */
const DOCKER = `#!/bin/sh
service=$4; shift 5
if [ "$service" = hub-1 ]; then script=$1; shift; exec "$NODEW" "$ROOT/$script" "$@"; fi
echo "$service $*" >>broker-calls
echo broker-password
`
const database = useDatabase()
let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'haltless-compose-plant-'))
  for (const name of ['install', 'secrets', 'bin', 'data']) mkdirSync(path.join(folder, name))
  copyFileSync(path.join(root, 'install/compose-plant.sh'), path.join(folder, 'install/compose-plant.sh'))
  writeFileSync(path.join(folder, 'bin/docker'), DOCKER, { mode: 0o755 })
})
afterEach(() => endAll())
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const email = 'grace@example.com'
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')

async function serve() {
  const port = String(await keptPort())
  const env = { DATABASE_URL: database.url, SECRET_KEY: 'x'.repeat(32), DATA_DIR: path.join(folder, 'data'), LOG_LEVEL: 'warn' }
  run('cloud-hub/src/main.ts', ['serve'], { ...env, HOST: '127.0.0.1', PORT: port, MQTT_PORT: String(await keptPort()) })
  const url = `http://127.0.0.1:${port}`
  await until('the hub is ready', async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok)
  const call = async (method: string, route: string, headers: Record<string, string>, body?: object) => {
    const init = { method, headers: { 'content-type': 'application/json', ...headers } }
    const answer = await fetch(`${url}/api/v1/${route}`, body ? { ...init, body: JSON.stringify(body) } : init)
    // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
    return { status: answer.status, body: (await answer.json()) as any }
  }
  return { port, call }
}

const addPlant = (port: string, args: string[], password: string) =>
  new Promise<{ code: number; out: string; err: string }>((done) => {
    const env = { ...surroundings(), PATH: `${folder}/bin:${process.env.PATH}`, NODEW, ROOT: root, PORT: port }
    const script = path.join(folder, 'install/compose-plant.sh')
    const child = execFile('sh', [script, ...args], { env }, (error, out, err) =>
      done({ code: Number(error?.code ?? 0), out, err }),
    )
    child.stdin?.end(`${password}\n`)
  })

it('install/compose-plant.sh adds machines, rules and a mail channel once, and writes the logins of the agent', async () => {
  const { port, call } = await serve()
  const { body } = await call(
    'POST',
    'auth/register',
    {},
    { email, password: PASSWORD, full_name: 'Grace', tenant_name: 'Plant one' },
  )
  const admin = { authorization: `Bearer ${body.access_token}` }
  const { tenant_id } = (await call('GET', 'auth/me', admin)).body

  for (const _ of ['first', 'second']) {
    const { code, out, err } = await addPlant(port, [email], PASSWORD)
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain(tenant_id)
    const machines = (await call('GET', 'machines?page_size=100', admin)).body.items as { machine_identifier: string }[]
    expect(machines.map((machine) => machine.machine_identifier).sort()).toEqual(plantMachines.map(({ id }) => id).sort())
    expect((await call('GET', 'alert-rules', admin)).body).toHaveLength(plantMachines.flatMap(({ rules }) => rules).length)
    const channels = (await call('GET', 'notification-channels', admin)).body
    expect(channels).toEqual([expect.objectContaining({ channel_type: 'email', config: { to_email: email } })])
  }

  expect(read('broker-calls')).toBe(`mosquitto /mosquitto/config/add-agent.sh ${tenant_id}/plant\n`.repeat(2))
  expect(read('secrets/agent_mqtt_username')).toBe(`${tenant_id}/plant`)
  expect(read('secrets/agent_mqtt_password')).toBe('broker-password')
  const reading = {
    machine_identifier: 'pump-01',
    metric_name: 'vibration',
    unit: 'mm/s',
    value: 1,
    timestamp: new Date().toISOString(),
  }
  const sent = await call('POST', 'ingest', { 'x-api-key': read('secrets/agent_api_key') }, { readings: [reading] })
  expect(sent.body).toMatchObject({ accepted_count: 1 })
})

it('install/compose-plant.sh changes nothing for a wrong password, and shows its usage without an address', async () => {
  const { port } = await serve()
  const before = ['agent_api_key', 'agent_mqtt_username', 'agent_mqtt_password'].map((name) => read(`secrets/${name}`))
  const refused = await addPlant(port, [email], 'Wrong-password-1')
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/^The plant could not be added: /)])
  expect(['agent_api_key', 'agent_mqtt_username', 'agent_mqtt_password'].map((name) => read(`secrets/${name}`))).toEqual(before)
  expect((await addPlant(port, [], '')).err).toBe('usage: sh install/compose-plant.sh EMAIL\n')
})
