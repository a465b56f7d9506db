import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { bufferFile } from '../src/agent-paths.ts'
import { createCollector } from '../src/collectors/index.ts'
import { run } from '../src/commands/run.ts'
import { readStatus } from '../src/commands/status.ts'
import { loadConfig } from '../src/settings/config.ts'
import { systemClock } from '../src/support/clock.ts'
import { DataDirInUse } from '../src/support/data-dir-lock.ts'
import { createLogger } from '../src/support/logger.ts'
import { shellQuote } from '../src/support/shell-quote.ts'
import { Plant, readings, until } from './agent-harness.ts'
import { rightAnswer, ScriptedModbus } from './support/scripted-modbus.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const KILLED = fileURLToPath(new URL('./killed-agent.ts', import.meta.url))

let plant: Plant
let children: ChildProcess[]
beforeEach(async () => {
  plant = await Plant.open()
  children = []
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(children.map((child) => ended(child)))
  await plant.end()
})

interface Running {
  child: ChildProcess
  out: () => string
  err: () => string
}

/** Runs a program under the same Node as this test. */
function start(file: string, ...args: string[]): Running {
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, ...(TMPDIR && { TMPDIR }), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
  const child = spawn(process.execPath, [file, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  let out = ''
  let err = ''
  child.stdout.on('data', (part) => (out += part))
  child.stderr.on('data', (part) => (err += part))
  return { child, out: () => out, err: () => err }
}

const ended = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once('close', (code) => resolve(code)))

async function command(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const running = start(MAIN, ...args)
  const code = await ended(running.child)
  return { code, out: running.out(), err: running.err() }
}

function writeConfig(more = ''): string {
  const file = join(plant.folder, 'agent.yaml')
  const yaml = `hub: { url: "${plant.hub.url}", api_key: hk_fake_key }\nagent_id: press-hall\n${more}`
  writeFileSync(file, yaml, { mode: 0o600 })
  return file
}

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('power cut', () => {
  it('what was counted as buffered survives a kill between claim and receipt', async () => {
    plant.hub.behaviour.receipt = () => null
    const { child, out } = start(KILLED, plant.dataDir, plant.hub.url)
    await until('batches wait for receipts', () => plant.hub.batches.length >= 5 && out().split('\n').length > 8)
    child.kill('SIGKILL')
    await ended(child)
    const acknowledged = Number(out().trimEnd().split('\n').at(-1))
    expect(acknowledged).toBeGreaterThan(500)
    expect(plant.report().buffer.buffered).toBeGreaterThanOrEqual(acknowledged)

    plant.hub.behaviour.receipt = () => ({})
    plant.start()
    await until('the buffer is empty', () => plant.report().buffer.buffered === 0)
    const values = new Set([...plant.hub.stored.values()].map(({ value }) => value))
    for (let value = 0; value < acknowledged; value++) expect(values.has(value)).toBe(true)
  })
})

describe('an agent that is killed', () => {
  const ongoing = (): { count: number; step: number; at: number }[] => {
    try {
      const db = new Database(bufferFile(plant.dataDir), { readonly: true })
      try {
        return db
          .prepare<[], { count: number; step: number; at: number }>(
            'SELECT count, step_ms AS step, at FROM open_gaps, last_alive',
          )
          .all()
      } finally {
        db.close()
      }
    } catch {
      // the agent has not made it yet
      return []
    }
  }

  it.each(['modbus', 'opcua'])('has the missed polls of a device that is away on disk (%s)', async (protocol) => {
    const port = await closedPort()
    const points = {
      modbus: `host: 127.0.0.1, port: ${port}, registers: [{ address: 7, data_type: uint16, metric_name: t, unit: celsius }]`,
      opcua: `host: 127.0.0.1, port: ${port}, nodes: [{ node_id: "ns=1;s=T", metric_name: t, unit: celsius }]`,
    }[protocol]
    const collector = `{ name: oven, protocol: ${protocol}, machine_identifier: oven-01, poll_interval_seconds: 0.1, ${points} }`
    const file = writeConfig(`collectors: [${collector}]`)
    const first = start(MAIN, 'run', '--config', file)
    await until('the begin is on disk', () => ongoing().length === 1, 60_000)
    const [{ count, step, at } = { count: 0, step: 0, at: 0 }] = ongoing()
    expect({ step, isAlive: at > 0 }).toEqual({ step: 100, isAlive: true })
    first.child.kill('SIGKILL')
    await ended(first.child)
    start(MAIN, 'run', '--config', file)
    const reported = () => plant.hub.heartbeats.flatMap(({ missed }) => missed ?? [])
    await until('the hub has the report', () => reported().length > 0, 60_000)
    expect(reported()[0]).toMatchObject({ collector: 'oven', metric_name: null, reason: 'no_answer' })
    expect(reported()[0]?.count).toBeGreaterThanOrEqual(count)
  })
})

describe('two agents on one data directory', () => {
  it('the second one refuses to start and says so; the first one goes on', async () => {
    const { feed } = plant.start()
    expect(() => plant.start()).toThrow(DataDirInUse)
    const { code, err } = await command('run', '--config', writeConfig())
    expect(code).toBe(1)
    expect(err).toBe(`another agent is running on ${plant.dataDir}; stop it first, or give this one a data_dir of its own\n`)
    await feed(readings(10))
    await until('it still sends', () => plant.hub.stored.size === 10)
  })

  it('a killed agent leaves no lock behind', async () => {
    const { child, out } = start(KILLED, plant.dataDir, plant.hub.url)
    await until('it runs', () => out() !== '')
    expect(plant.report().is_running).toBe(true)
    child.kill('SIGKILL')
    await ended(child)
    expect(plant.report().is_running).toBe(false)
    expect(() => plant.start()).not.toThrow()
  })
})

describe('from the PLC to the hub', () => {
  it('a register of a Modbus device is a reading in the hub, named and scaled, and the collector is in the heartbeat', async () => {
    const device = await new ScriptedModbus((asked, _device, socket) => void socket.write(rightAnswer(asked))).listen()
    try {
      const register = '{ address: 7, data_type: uint16, scale: 0.1, metric_name: temperature, unit: celsius }'
      const rest = `poll_interval_seconds: 0.1, registers: [${register}]`
      const collector = `{ name: oven, protocol: modbus, machine_identifier: oven-01, host: 127.0.0.1, port: ${device.port}, ${rest} }`
      const file = writeConfig(`collectors: [${collector}]`)
      const check = await command('check', '--config', file)
      expect(check.out).toMatch(/^ok {4}oven/m)
      const { child } = start(MAIN, 'run', '--config', file)
      await until('readings are stored', () => plant.hub.stored.size >= 5)
      const [first] = plant.hub.stored.values()
      expect(first).toMatchObject({ machine: 'oven-01', metric: 'temperature', unit: 'celsius', rawTag: 'holding:7' })
      expect(first?.value).toBeCloseTo(0.7)
      await until('the fleet knows', () => plant.hub.heartbeats.at(-1)?.collectors?.oven === 'running')
      const { out } = await command('status', '--config', file)
      expect(out).toMatch(
        /^collectors\n {2}oven {2}running {2}last reading \d+ s ago, \d+ readings?(, .* missed polls? since its start: .*)?$/m,
      )
      child.kill('SIGTERM')
      expect(await ended(child)).toBe(0)
    } finally {
      await device.close()
    }
  })
})

describe('the commands', () => {
  it('run: says what it does in JSON lines without secrets, and ends cleanly on SIGTERM', async () => {
    const file = writeConfig('log_level: debug')
    const { child, out, err } = start(MAIN, 'run', '--config', file)
    await until('it is connected', () => plant.hub.states.includes('{"online":true}'))
    await until('the status file says so', () => plant.report().agent?.uplink.via === 'mqtt')
    const status = await command('status', '--config', file)
    expect(status.code).toBe(0)
    expect(status.out).toMatch(/^agent {9}press-hall, running for \d+ s \(version \d+\.\d+\.\d+, process \d+\)$/m)
    expect(status.out).toMatch(/^uplink {8}sending over mqtt/m)
    child.kill('SIGTERM')
    expect(await ended(child)).toBe(0)
    expect(err()).toBe('')
    const lines = out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['started', 'connected to the hub', 'stopping', 'stopped']),
    )
    expect(out()).not.toContain('hk_fake_key')
    for (const { password } of plant.hub.connections) expect(out()).not.toContain(password)
    expect(plant.hub.states.at(-1)).toBe('{"online":false}')
  })

  it('run: a missing or faulty file is told in sentences, without a stack trace', async () => {
    const missing = await command('run', '--config', '/none/agent.yaml')
    expect(missing).toEqual({ code: 1, out: '', err: expect.anything() })
    expect(missing.err).toMatch(
      /^\/none\/agent\.yaml cannot be used:\n {2}- there is no such file\nThis agent is not enrolled yet\. With the address of your hub, run: .* enroll --config \/none\/agent\.yaml --hub https:\/\/hub\.example\.com\n$/,
    )
    const relativePath = await command('run', '--config', relative(process.cwd(), join(plant.folder, 'here.yaml')))
    expect(relativePath.err).toContain(`${join(plant.folder, 'here.yaml')} cannot be used:\n  - there is no such file\n`)
    const faulty = await command('run', '--config', writeConfig('data_directory: x\nlog_level: loud'))
    expect(faulty.code).toBe(1)
    expect(faulty.err).toContain('  - data_directory: there is no such setting\n')
    expect(faulty.err).toContain('  - log_level: ')
    expect(faulty.err).not.toMatch(/\n\s+at /)
  })

  it('check: finds everything well, and touches neither the buffer nor the state of a running agent', async () => {
    const { agent } = plant.start()
    await until('it is connected', () => plant.hub.states.length === 1)
    const { code, out } = await command('check', '--config', writeConfig())
    expect(out).toBe(
      [
        `ok    data_dir  ${plant.dataDir} is in use by a running agent`,
        `ok    hub       ${plant.hub.url} accepts the API key, this agent is press-hall`,
        `ok    mqtt      ${plant.hub.mqttUrl} lets this agent in`,
        'ok    clock     the clock of this box and the clock of the hub agree',
        '',
      ].join('\n'),
    )
    expect(code).toBe(0)
    expect(plant.hub.states).toEqual(['{"online":true}'])
    expect(agent.status().uplink.via).toBe('mqtt')
  })

  it('check: says what fails and ends with 1', async () => {
    plant.hub.behaviour.isMqttOpen = false
    const port = await closedPort()
    const register = '{ address: 0, metric_name: temperature, unit: celsius }'
    const collector = `{ name: oven, protocol: modbus, machine_identifier: oven-01, host: 127.0.0.1, port: ${port}, registers: [${register}] }`
    const { code, out } = await command('check', '--config', writeConfig(`collectors: [${collector}]`))
    expect(code).toBe(1)
    expect(out).toMatch(/^note {2}mqtt/m)
    expect(out).toContain('MQTT over WebSocket works and will be used instead')
    expect(out).toMatch(new RegExp(`^FAIL {2}oven {6}Modbus unit 1 at 127.0.0.1:${port}: .*refused`, 'm'))
  })

  it('check: a wrong API key and a hub that is away are told apart', async () => {
    const file = writeConfig()
    writeFileSync(file, `hub: { url: "${plant.hub.url}", api_key: wrong }`)
    expect((await command('check', '--config', file)).out).toMatch(/^FAIL {2}hub .* the hub refuses the API key \(401\)/m)
    writeFileSync(file, `hub: { url: "http://127.0.0.1:${await closedPort()}", api_key: k }`)
    const away = await command('check', '--config', file)
    expect(away.code).toBe(1)
    expect(away.out).toMatch(/^FAIL {2}hub .*: connection refused$/m)
  })

  it('status: of an agent that is not running tells what its buffer holds, and makes nothing', async () => {
    const file = writeConfig()
    const never = await command('status', '--config', file)
    expect(never.code).toBe(1)
    expect(never.out).toMatch(/not running[\s\S]*0 readings/)
    expect(existsSync(plant.dataDir)).toBe(false)

    plant.hub.behaviour.heartbeat = () => ({ status: 503 })
    const { agent, feed } = plant.start()
    await feed(readings(1_234))
    await plant.stop(agent)
    const { out } = await command('status', '--config', file)
    expect(out).toMatch(/^buffered {6}1,234 readings, the oldest for \d+ s \(0\.\d MB\)$/m)
    const json = JSON.parse((await command('status', '--config', file, '--json')).out)
    expect(json).toMatchObject({ agent_id: 'press-hall', is_running: false, buffer: { buffered: 1_234, dropped: 0 } })
  })

  it('trust: says in words what there is, and what there is not', async () => {
    const file = writeConfig()
    const out = 'no server certificate is needed: no collector polls OPC UA encrypted (security_mode)\n'
    expect(await command('trust', '--config', file)).toEqual({ code: 0, out, err: '' })
    const unknown = await command('trust', '--config', file, '0123456789')
    expect(unknown.code).toBe(1)
    expect(unknown.err).toMatch(/^.*certificate.*\n$/)
  })

  it('dead-letters: lists what was rejected and why', async () => {
    const file = writeConfig()
    expect((await command('dead-letters', '--config', file)).out).toBe('no dead letters: the hub has rejected nothing\n')
    plant.hub.behaviour.receipt = () => ({
      errors: [{ index: 1, machine_identifier: 'press-01', code: 'machine_not_found', error: 'there is no machine press-01' }],
    })
    const { feed } = plant.start()
    await feed(readings(3))
    await until('it was parked', () => plant.report().buffer.deadLetters === 1)
    const { out } = await command('dead-letters', '--config', file)
    expect(out.split('\n')).toHaveLength(3)
    expect(out).toMatch(/press-01 {2}temperature {2}0.01 celsius .* machine_not_found: there is no machine press-01/)
  })

  it('dead-letters --requeue: sends them again, while the agent runs and while it does not', async () => {
    const file = writeConfig()
    const requeue = async () => (await command('dead-letters', '--requeue', '--config', file)).out
    expect(await requeue()).toBe('no dead letters to send again\n')
    const reject = (from: number) => {
      plant.hub.behaviour.receipt = () => ({ accepted_count: 0, rejected_count: 0, refused: { code: 'x', detail: 'refused' } })
      return feed(readings(3, from))
    }
    const { feed, agent } = plant.start()
    await reject(0)
    await until('they were parked', () => plant.report().buffer.deadLetters === 3)
    plant.hub.behaviour.receipt = () => ({})
    expect(await requeue()).toBe('3 readings put back into the buffer: the running agent sends them again\n')
    await feed(readings(1, 50))
    await until('they are stored', () => plant.hub.stored.size === 4)

    await reject(100)
    await until('they were parked', () => plant.report().buffer.deadLetters === 3)
    await plant.stop(agent)
    expect(await requeue()).toBe('3 readings put back into the buffer: the agent sends them when it runs\n')
    plant.hub.behaviour.receipt = () => ({})
    plant.start()
    await until('they are stored', () => plant.hub.stored.size === 7)
  })

  it('dead-letters --json: thousands of them are all told, also to a program that reads through a pipe', async () => {
    const file = writeConfig()
    plant.hub.behaviour.receipt = () => ({ accepted_count: 0, rejected_count: 0, refused: { code: 'x', detail: 'refused' } })
    const { feed } = plant.start()
    await feed(readings(3_000))
    await until('they were parked', () => plant.report().buffer.deadLetters === 3_000)
    const { out } = await command('dead-letters', '--json', '--limit', '5000', '--config', file)
    expect(JSON.parse(out)).toHaveLength(3_000)
  })
})

describe.skipIf(process.platform === 'win32')('what others may read', () => {
  const modeOf = (file: string) => statSync(file).mode & 0o777

  it('check: refuses a file with secrets that others may read, and says what to do', async () => {
    const file = writeConfig()
    chmodSync(file, 0o644)
    const { code, out } = await command('check', '--config', file)
    expect(code).toBe(1)
    expect(out).toContain(
      `FAIL  config    ${file} holds secrets, and other users may read it (mode 0644); run: chmod 600 ${shellQuote(file)}\n`,
    )
    expect((await command('status', '--config', file)).out).toMatch(/^warning {7}.*other users may read it/m)
  })

  it('run: makes such a file its own, and keeps every file of its own for itself, whatever the umask', async () => {
    const file = writeConfig()
    chmodSync(file, 0o644)
    const child = spawn('sh', ['-c', `umask 0; exec "$@"`, 'sh', process.execPath, MAIN, 'run', '--config', file], {
      env: { PATH: process.env.PATH },
      stdio: 'ignore',
    })
    children.push(child)
    await until('it is connected', () => plant.hub.states.includes('{"online":true}'))
    expect(modeOf(file)).toBe(0o600)
    const names = readdirSync(plant.dataDir)
    expect(names).toEqual(expect.arrayContaining(['buffer.sqlite', 'buffer.sqlite-wal', 'buffer.sqlite-shm', 'instance-id']))
    const open = names.filter((name) => (modeOf(join(plant.dataDir, name)) & 0o077) !== 0)
    expect(open).toEqual([])
  })

  it('a buffer that an older agent left readable for others is closed to them', async () => {
    mkdirSync(plant.dataDir)
    writeFileSync(join(plant.dataDir, 'buffer.sqlite'), '', { mode: 0o644 })
    plant.start()
    expect(modeOf(join(plant.dataDir, 'buffer.sqlite'))).toBe(0o600)
    expect(modeOf(join(plant.dataDir, 'buffer.sqlite-wal'))).toBe(0o600)
  })

  it("run: goes on with somebody else's file that others may read, and warns in log, status and telemetry", async () => {
    const file = writeConfig()
    chmodSync(file, 0o644)
    const { uid } = statSync(file)
    vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(uid + 1)
    const config = { ...loadConfig(file, {}), dataDir: plant.dataDir }
    const lines: string[] = []
    const logger = createLogger('info', { write: (line: string) => void lines.push(line) })
    const stop = new AbortController()
    const running = run(config, { clock: systemClock, logger, createCollector }, stop.signal)
    try {
      await until('it is connected', () => plant.hub.states.includes('{"online":true}'))
      const warning = `${file} holds secrets, and other users may read it (mode 0644); run: chmod 600 ${shellQuote(file)}`
      expect(plant.hub.heartbeats[0]?.collectors).toEqual({ '(agent)': `warning: ${warning}` })
      expect(lines.map((line) => JSON.parse(line))).toContainEqual(expect.objectContaining({ level: 'warn', msg: warning }))
      expect(readStatus(config).warnings).toEqual([warning])
      expect(modeOf(file)).toBe(0o644)
    } finally {
      vi.restoreAllMocks()
      stop.abort()
      await running
    }
  })
})

describe('files that are empty after a power cut', () => {
  it('an agent runs on, and log, check and status say what was set aside and what follows', async () => {
    const pki = join(plant.dataDir, 'pki', 'own')
    mkdirSync(pki, { recursive: true })
    for (const name of ['instance-id', 'sources.json', 'pki/own/certificate.pem', 'pki/own/private_key.pem'])
      writeFileSync(join(plant.dataDir, name), '')
    const nodes = 'nodes: [{ node_id: ns=1;s=x, metric_name: x, unit: y }]'
    const collector = `{ name: press, protocol: opcua, machine_identifier: m, host: 127.0.0.1, port: ${await closedPort()}, ${nodes} }`
    const file = writeConfig(`collectors: [${collector}]`)
    const { child, out } = start(MAIN, 'run', '--config', file)
    await until('it is connected', () => plant.hub.states.includes('{"online":true}'))
    await until('the collector has tried', () =>
      /connection refused/.test(readFileSync(join(plant.dataDir, 'status.json'), 'utf8')),
    )
    expect(out()).toContain('instance-id: the file is damaged; the agent has a new instance id')
    expect(out()).toContain('sources.json: the file is damaged; the hub sends its polling sources again')
    expect(out()).toContain(
      'own: the OPC UA certificate or its key is damaged; a new one is made, which every server has to trust',
    )
    expect(out()).not.toContain('no start line')
    const told = await command('status', '--config', file)
    expect(told.out).toMatch(/^damaged {7}pki\/own\.damaged-\S+ was set aside; the agent made a new OPC UA certificate/m)
    child.kill('SIGTERM')
    await ended(child)
    const checked = await command('check', '--config', file)
    expect(checked.out).toMatch(/^note {2}damaged {3}instance-id\.damaged-\S+ was set aside; the agent has a new instance id/m)
    expect(checked.out).toMatch(/^FAIL {2}press .*connection refused/m)
  })
})

it('a command that the agent prints runs as it stands, from any folder', async () => {
  const folder = join(plant.folder, "plant's files")
  mkdirSync(folder)
  const file = join(folder, 'agent.yaml')
  const yaml = `hub: { url: "${plant.hub.url}", api_key: hk_fake_key }\nagent_id: press-hall\ndata_dir: ${plant.dataDir}`
  writeFileSync(file, yaml, { mode: 0o600 })
  plant.hub.behaviour.receipt = () => ({ accepted_count: 0, rejected_count: 0, refused: { code: 'x', detail: 'refused' } })
  const { feed } = plant.start()
  await feed(readings(3))
  await until('they were parked', () => plant.report().buffer.deadLetters === 3)
  const { out } = await command('status', '--config', file)
  const printed = /list them: (.*)$/m.exec(out)?.[1]
  const ran = spawn('sh', ['-c', printed as string], {
    cwd: '/',
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(ran)
  let letters = ''
  ran.stdout.on('data', (part) => (letters += part))
  expect(await ended(ran)).toBe(0)
  expect(letters.trimEnd().split('\n')).toHaveLength(4)
})
