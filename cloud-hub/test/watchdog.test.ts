import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { endAll, NODEW, type Program, root, run, until } from './processes.ts'

const WATCHED = 'cloud-hub/test/support/watched-process.ts'
/** The watchdog of these tests ends a process after twelve times this. */
const PING_MS = 100
const BOUND_MS = 12 * PING_MS

afterEach(endAll)

const watched = (...steps: (string | number)[]) => run(WATCHED, [PING_MS, ...steps].map(String))
const countOf = (word: string, text: string) => text.split('\n').filter((line) => line === word).length
/** the lines that watchdogs wrote */
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.includes('watchdog'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const isStillRunning = ({ child }: Program) => child.exitCode === null && child.signalCode === null

describe('the watchdog', () => {
  it('ends a process whose event loop stands still, and says so in a line of the log', async () => {
    const program = watched('Infinity')
    expect(await program.ended).toBe('SIGKILL')
    expect(linesOf(program.err())).toEqual([
      {
        level: 'fatal',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        unanswered_pings: 12,
        ping_ms: PING_MS,
        msg: 'the event loop stands still; the watchdog ends the hub by SIGKILL',
      },
    ])
  })

  it('does not end a process whose event loop stands still for a shorter time', async () => {
    const program = watched(3 * PING_MS, 3 * PING_MS, 3 * PING_MS, 3 * PING_MS, 3 * PING_MS, 'Infinity')
    expect(await program.ended).toBe('SIGKILL')
    expect(countOf('unblocked', program.out())).toBe(5)
  })

  it('does not end a process that was stopped for a longer time', async () => {
    const program = watched()
    await until('it runs', () => program.out().includes('tick'))
    program.child.kill('SIGSTOP')
    const resumeAt = performance.now() + 3 * BOUND_MS
    await until('it was stopped for long enough', () => performance.now() > resumeAt)
    const before = countOf('tick', program.out())
    program.child.kill('SIGCONT')
    await until('it would have been ended', () => countOf('tick', program.out()) > before + 15 || !isStillRunning(program))
    expect(isStillRunning(program)).toBe(true)
    program.child.kill('SIGUSR2')
    expect(await program.ended).toBe('SIGKILL')
  })

  it('does not start under a debugger, and ends when one attaches', async () => {
    for (const [debugging, started] of [
      ['debugger', 'not watched'],
      ['attach', 'watched'],
    ] as const) {
      const program = watched(debugging, 2 * BOUND_MS)
      await until('it has stood still', () => program.out().includes('unblocked') || !isStillRunning(program))
      expect(program.out()).toContain(`${started}\n`)
      expect(isStillRunning(program)).toBe(true)
    }
  })

  it('does not keep a process alive', async () => {
    const program = run(WATCHED, ['60000', 'exit'])
    expect(await program.ended).toBe(0)
  })
})

it.runIf(process.platform === 'linux')(
  'the watchdog of a hub runs while the start waits for a database that does not answer',
  async () => {
    const silent = createServer()
    const dataDir = mkdtempSync(path.join(tmpdir(), 'haltless-watchdog-'))
    onTestFinished(() => {
      silent.close()
      rmSync(dataDir, { recursive: true, force: true })
    })
    const isAsked = once(silent, 'connection')
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const { port } = silent.address() as AddressInfo
    const hub = run('cloud-hub/src/main.ts', ['serve'], {
      DATA_DIR: dataDir,
      DATABASE_URL: `postgres://haltless:secret@127.0.0.1:${port}/haltless`,
      SECRET_KEY: randomBytes(32).toString('base64'),
    })
    await isAsked
    const threads = () =>
      readdirSync(`/proc/${hub.pid}/task`).map((id) => readFileSync(`/proc/${hub.pid}/task/${id}/comm`, 'utf8').trim())
    await until('the thread runs', () => threads().includes('watchdog'))
  },
)

describe('in a PID namespace', () => {
  const isPossible = (...flags: string[]) => spawnSync('unshare', [...flags, 'true']).status === 0
  const flags = [
    ['--pid', '--fork', '--kill-child'],
    ['--user', '--map-root-user', '--pid', '--fork', '--kill-child'],
  ].find((each) => isPossible(...each))
  const program = [NODEW, WATCHED, String(PING_MS), 'Infinity']

  /** Runs a program as process 1 of a namespace of its own. */
  function asInit(command: string[]): { child: ChildProcess; output(): string } {
    const child = spawn('unshare', [...(flags ?? []), ...command], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    onTestFinished(() => void child.kill('SIGKILL'))
    return { child, output: () => output }
  }
  const notPossible = () => console.warn('not tested: this user may make neither PID namespaces nor user namespaces')

  it('the watchdog ends a hub that an init started', async () => {
    if (!flags) return notPossible()
    const init = asInit(['sh', '-c', '"$@"; echo "ended with $?"', 'sh', ...program])
    // 128 and SIGKILL
    await until('the init has seen the end', () => /^ended with 137$/m.test(init.output()))
    expect(linesOf(init.output())).toMatchObject([{ level: 'fatal' }])
  })

  it('process 1 survives, and the hub has said so at its start', async () => {
    if (!flags) return notPossible()
    const init = asInit(program)
    await until('the watchdog has tried twice', () => linesOf(init.output()).length > 2 || init.child.exitCode !== null)
    expect(init.child.exitCode).toBe(null)
    expect(linesOf(init.output())).toMatchObject([
      { level: 'warn', msg: expect.stringContaining('start the hub under an init') },
      { level: 'fatal' },
      { level: 'fatal' },
    ])
  })
})
