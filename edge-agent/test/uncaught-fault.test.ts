import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { readStatus } from '../src/commands/status.ts'
import { loadConfig } from '../src/settings/config.ts'
import { Plant, until } from './agent-harness.ts'
import { rightAnswer, ScriptedModbus } from './support/scripted-modbus.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const PRELOADED = pathToFileURL(fileURLToPath(new URL('./support/throwing-socket.ts', import.meta.url))).href

let plant: Plant
let oven: ScriptedModbus
let pump: ScriptedModbus
let file: string

beforeEach(async () => {
  plant = await Plant.open()
  oven = await new ScriptedModbus((asked, _, socket) => void socket.write(rightAnswer(asked))).listen()
  pump = await new ScriptedModbus((asked, _, socket) => void socket.write(rightAnswer(asked))).listen()
  file = join(plant.folder, 'agent.yaml')
  const collector = (name: string, { port }: ScriptedModbus) =>
    `  - { name: ${name}, protocol: modbus, machine_identifier: ${name}-01, host: 127.0.0.1, port: ${port}, poll_interval_seconds: 0.05, registers: [{ table: holding, address: 7, metric_name: t, unit: celsius }] }\n`
  const hub = `hub: { url: "${plant.hub.url}", api_key: hk_fake_key }\nagent_id: press-hall\n`
  writeFileSync(file, `${hub}collectors:\n${collector('oven', oven)}${collector('pump', pump)}`, { mode: 0o600 })
})
afterEach(async () => {
  await Promise.all([oven.close(), pump.close()])
  await plant.end()
})

/** Runs the agent; every answer of the pump is a fault that nothing catches. */
function start() {
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env
  const env = {
    PATH,
    FAULT_PORT: String(pump.port),
    ...(TMPDIR && { TMPDIR }),
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
  }
  const child = spawn(process.execPath, ['--import', PRELOADED, MAIN, 'run', '--config', file], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (log += part))
  const ended = new Promise<number | null>((done) => child.once('close', done))
  return { child, ended, log: () => log }
}
const storedOf = (machine: string) => [...plant.hub.stored.values()].filter((reading) => reading.machine === machine).length

it('a fault that nothing caught names its collector, stores what was read and ends the agent; the sixth start goes on without it', async () => {
  for (let end = 1; end <= 5; end++) {
    const agent = start()
    expect(await agent.ended).toBe(1)
    const line = agent
      .log()
      .split('\n')
      .find((each) => each.includes('a fault that nothing caught'))
    expect(JSON.parse(line ?? 'null')).toMatchObject({
      level: 'fatal',
      collector: 'pump',
      err: { message: 'an answer that we did not expect' },
    })
    expect(agent.log()).toContain('"msg":"stopped"')
  }
  const agent = start()
  await until('the oven is read', () => storedOf('oven-01') > 20)
  const config = loadConfig(file, {})
  await until('the pump is left out', () => {
    const found = readStatus(config).agent?.collectors.pump
    return found?.state === 'failing' && found.detail.includes('ended the agent five times in ten minutes')
  })
  expect(agent.log()).toContain('"collector":"pump","fault":"an answer that we did not expect","msg":"a collector is left out')
  agent.child.kill('SIGTERM')
  expect(await agent.ended).toBe(0)
  expect(storedOf('pump-01')).toBe(0)
})
