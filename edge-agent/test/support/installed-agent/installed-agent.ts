import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stringify } from 'yaml'
import { readStatusFile, type StatusFile } from '../../../src/status-file.ts'
import { Installation } from '../../../src/updates/installation.ts'
import type { Programs } from './programs.ts'
import type { UnflushedNames } from './unflushed.ts'

export interface InstalledAgentOptions {
  /** everything of this agent lies here; below the folder of {@link buildPrograms} */
  dir: string
  programs: Programs
  version: string
  /** what agent.yaml holds beside `data_dir` */
  settings: object
  /** environment of the agent */
  env?: Record<string, string>
  confirmWithinMs?: number
  pollIntervalMs?: number
  settledMs?: number
  /** a program begins to end: readings that devices answer from now on may be lost until {@link onEnded} */
  onEnding?(): void
  onEnded?(): void
  onStep?(step: string): void
  log?(text: string): void
}

/** The updater kills itself after a step; with `names` it is the power that goes, and the agent goes with it. */
export interface UpdaterDeath {
  step: string
  names?: UnflushedNames
  /** what else a power cut does, before the computer starts again */
  onPowerCut?(): void
}

/** What the units of the package say, in less time. */
const [RESTART_MS, POLL_INTERVAL_MS, ANSWERS_MS, OUTPUT_CHARS] = [200, 100, 200, 100_000]

/**
 * An agent that is installed with its updater. This supervisor stands for systemd: it starts the program that `current` leads to, starts it
 * again when it ends, and runs the updater of the confirmed version when the path unit would.
 */
export class InstalledAgent {
  readonly installation: Installation
  readonly dataDir: string
  /** how the next updater that starts will die; null: it lives */
  nextDeath: UpdaterDeath | null = null
  /** how many updaters have died as they were told to */
  deaths = 0
  readonly #options: InstalledAgentOptions
  #program: ChildProcess | undefined
  #updater: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #restarts = 0
  #isOn = false
  #requestSeen = ''
  #out = ''

  constructor(options: InstalledAgentOptions) {
    this.#options = options
    const { dir, programs, version, settings } = options
    this.installation = new Installation(path.join(dir, 'root'))
    this.dataDir = path.join(dir, 'data')
    mkdirSync(dir)
    programs.write(this.installation.folderOf(version), version)
    for (const link of ['current', 'confirmed'] as const) this.installation.link(link, version)
    writeFileSync(this.#config, stringify({ ...settings, data_dir: this.dataDir }))
    chmodSync(this.#config, 0o600)
  }

  get #config(): string {
    return path.join(this.#options.dir, 'agent.yaml')
  }

  /** what agent and updater wrote to their output, the newest of it */
  get out(): string {
    return this.#out
  }

  get isUpdating(): boolean {
    return this.#updater !== undefined
  }

  status(): StatusFile | null {
    return readStatusFile(this.dataDir)
  }

  /** The computer is switched on. */
  powerOn(): void {
    this.#isOn = true
    this.#restarts = 0
    this.#launch()
    this.#timer = setInterval(() => this.#watchPath(), POLL_INTERVAL_MS)
  }

  /** Kills what runs here, at once. @param signal of the agent; the updater is killed */
  async powerOff(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#isOn = false
    clearInterval(this.#timer)
    const updater = this.#updater
    if (updater) await this.#end(updater, 'SIGKILL')
    await this.#endAgent(signal)
  }

  /** As `kill -9` of the agent; the supervisor starts it again. */
  killAgent(): void {
    this.#options.onEnding?.()
    this.#program?.kill('SIGKILL')
  }

  /** The computer is switched off and on again. @param onPowerCut what that does to the disk */
  async cutPower(onPowerCut?: () => void): Promise<void> {
    await this.powerOff()
    onPowerCut?.()
    this.powerOn()
  }

  #launch(): void {
    const { env, log } = this.#options
    const current = path.join(this.installation.root, 'current')
    const program = path.join(current, 'app/lib/agent.mjs')
    const args = ['--no-deprecation', '--max-semi-space-size=2', program, 'run', '--config', this.#config]
    const child = this.#spawn(path.join(current, 'bin/node'), args, { ...env })
    this.#program = child
    const ended = () => {
      if (this.#program !== child) return
      this.#program = undefined
      this.#options.onEnding?.()
      log?.('the agent ended by itself')
      setTimeout(() => {
        this.#options.onEnded?.()
        if (!this.#isOn || this.#program) return
        this.#restarts++
        this.#launch()
      }, RESTART_MS)
    }
    child.once('close', ended).once('error', ended)
  }

  async #restart(): Promise<void> {
    await this.#endAgent('SIGTERM')
    // the computer may have been switched off and on meanwhile
    if (!this.#isOn || this.#program) return
    this.#restarts = 0
    this.#launch()
  }

  async #endAgent(signal: NodeJS.Signals): Promise<void> {
    const child = this.#program
    if (!child) return
    this.#program = undefined
    this.#options.onEnding?.()
    await this.#end(child, signal)
    // devices answer what its connections still hold
    await sleep(ANSWERS_MS)
    this.#options.onEnded?.()
  }

  /** PathChanged of the request, and PathExists of `pending`. */
  #watchPath(): void {
    const request = statSync(path.join(this.dataDir, 'incoming/request.json'), { throwIfNoEntry: false })
    const seen = request ? `${request.ino} ${request.mtimeMs}` : ''
    const isChanged = seen !== this.#requestSeen
    if (this.#updater) return
    this.#requestSeen = seen
    if (isChanged || existsSync(this.installation.updateFile('pending'))) this.#launchUpdater()
  }

  #launchUpdater(): void {
    const { confirmWithinMs = 20_000, pollIntervalMs = 250, settledMs = 1_000, onStep } = this.#options
    const confirmed = path.join(this.installation.root, 'confirmed')
    const times = [confirmWithinMs, pollIntervalMs, settledMs].map(String)
    const args = [path.join(confirmed, 'app/lib/updater.mjs'), this.installation.root, this.dataDir, ...times]
    const death = this.nextDeath
    this.nextDeath = null
    const child = this.#spawn(path.join(confirmed, 'bin/node'), args, {
      ...(death && { UPDATER_DIES_AFTER: death.step }),
      ...(death?.names && { UPDATER_NAMES: death.names }),
    })
    this.#updater = child
    child.on('message', async (message: 'restart' | 'restarts' | { step: string }) => {
      if (typeof message === 'object') return onStep?.(message.step)
      if (message === 'restart') await this.#restart()
      if (child.connected) child.send(this.#restarts, () => {})
    })
    child.once('close', (code, signal) => {
      if (this.#updater === child) this.#updater = undefined
      if (death && signal === 'SIGKILL') this.#onDeath(death)
      // Restart=on-failure
      if (code !== 0 && this.#isOn) setTimeout(() => !this.#updater && this.#isOn && this.#launchUpdater(), RESTART_MS)
    })
  }

  #onDeath({ names, onPowerCut }: UpdaterDeath): void {
    this.deaths++
    if (names) void this.cutPower(onPowerCut)
  }

  #spawn(node: string, args: string[], env: Record<string, string>): ChildProcess {
    const child = spawn(node, args, {
      env: { PATH: process.env.PATH, ...env },
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#out = (this.#out + text).slice(-OUTPUT_CHARS)
      })
    return child
  }

  async #end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((done) => child.once('close', done))
    child.kill(signal)
    await ended
  }
}
