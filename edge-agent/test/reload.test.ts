import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Plant, until } from './agent-harness.ts'
import { rightAnswer, ScriptedModbus } from './support/scripted-modbus.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

let plant: Plant
let oven: ScriptedModbus
let pump: ScriptedModbus
let child: ChildProcess
let log = ''
/** of the oven's connections */
let connections: Set<number>
let requests: { oven: number; pump: number }

beforeEach(async () => {
  plant = await Plant.open()
  connections = new Set()
  requests = { oven: 0, pump: 0 }
  oven = await new ScriptedModbus((asked, _, socket) => {
    connections.add(asked.connection)
    requests.oven++
    socket.write(rightAnswer(asked))
  }).listen()
  pump = await new ScriptedModbus((asked, _, socket) => {
    requests.pump++
    socket.write(rightAnswer(asked))
  }).listen()
  log = ''
})
afterEach(async () => {
  const ended = new Promise((done) => child.once('close', done))
  child.kill('SIGKILL')
  await ended
  await Promise.all([oven.close(), pump.close()])
  await plant.end()
})

const collector = (name: string, { port }: ScriptedModbus, interval = 0.05) =>
  `  - { name: ${name}, protocol: modbus, machine_identifier: ${name}-01, host: 127.0.0.1, port: ${port}, poll_interval_seconds: ${interval}, registers: [{ table: holding, address: 7, data_type: uint16, byte_order: ABCD, metric_name: t, unit: celsius }] }\n`
const write = (collectors: string, more = '') =>
  writeFileSync(
    join(plant.folder, 'agent.yaml'),
    `hub: { url: "${plant.hub.url}", api_key: hk_fake_key }\nagent_id: press-hall\n${more}collectors:\n${collectors}`,
    { mode: 0o600 },
  )
function start(): void {
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, ...(TMPDIR && { TMPDIR }), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
  child = spawn(process.execPath, [MAIN, 'run', '--config', join(plant.folder, 'agent.yaml')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (log += part))
}
const reload = async (words: string) => {
  const from = log.length
  child.kill('SIGHUP')
  await until(`it says "${words}"`, () => log.slice(from).includes(words))
  return log.slice(from)
}
const polled = (name: 'oven' | 'pump', more = 20) => {
  const from = requests[name]
  return until(`${name} is polled`, () => requests[name] >= from + more)
}
const storedOf = (machine: string) => [...plant.hub.stored.values()].filter((reading) => reading.machine === machine).length

it('settings are read again on SIGHUP: what did not change goes on undisturbed, and every reading arrives', async () => {
  write(collector('oven', oven))
  start()
  await polled('oven')
  write(collector('oven', oven) + collector('pump', pump))
  expect(await reload('the settings were read again')).toContain('"started":["pump"]')
  await polled('pump')

  write(collector('oven', oven) + collector('pump', pump, 0.1))
  expect(await reload('the settings were read again')).toContain('"changed":["pump"]')
  await polled('pump')

  write(collector('oven', oven))
  expect(await reload('the settings were read again')).toContain('"stopped":["pump"]')
  await polled('oven')
  const pumped = requests.pump
  expect(connections.size).toBe(1)
  const ended = new Promise((done) => child.once('close', done))
  child.kill('SIGTERM')
  await ended
  // the oven is polled on after the restart
  const asked = requests.oven
  start()
  await until('everything arrived', () => storedOf('oven-01') >= asked - 1 && storedOf('pump-01') === pumped)
})

it('settings with faults change nothing, and say where they are wrong', async () => {
  write(collector('oven', oven))
  start()
  await polled('oven')
  write(collector('oven', oven).replace('port:', 'prot:'))
  const said = await reload('the agent goes on with those before')
  expect(said).toMatch(/prot/)
  await polled('oven')
  expect(connections.size).toBe(1)
})

it('settings that a running agent cannot change are named', async () => {
  write(collector('oven', oven))
  start()
  await polled('oven')
  write(collector('oven', oven), 'buffer: { max_megabytes: 7 }\nremote: { sources: off }\n')
  expect(await reload('count when the agent is started again')).toContain('"settings":["buffer","remote"]')
  write(collector('oven', oven), 'log_level: info\n')
  expect(await reload('the settings were read again')).not.toContain('started again')
  await polled('oven')
})
