import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Programs of a browser, each ended with it, and a folder for their files. */
export interface Programs {
  /** a folder of the browser's own, removed when it is closed */
  folder: string
  /** Starts a program, and waits for the text in its output that says that it is ready. @returns what matches */
  start(program: string, args: string[], env: Record<string, string>, ready?: RegExp): Promise<string[]>
  /** ends them, the last one first */
  end(): Promise<void>
}

/** A program needs a moment to end by itself. */
const END_MS = 10_000

/** The path of an installed program, or null. */
export function installed(program: string): string | null {
  for (const folder of (process.env.PATH ?? '').split(':')) {
    const file = path.resolve(folder, program)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {} // not in this folder
  }
  return null
}

/** The home, temporary, settings and runtime folders of the programs are in a folder of their own: an ordinary user may have none. */
export async function newPrograms(name: string): Promise<Programs> {
  const folder = await mkdtemp(path.join(tmpdir(), `haltless-${name}-`))
  const own: Record<string, string> = {}
  const variables = ['HOME', 'TMPDIR', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR']
  for (const variable of variables) {
    own[variable] = path.join(folder, variable.toLowerCase())
    await mkdir(own[variable], { mode: 0o700 })
  }
  const running: ChildProcess[] = []
  const killAll = () => {
    for (const child of running) child.kill('SIGKILL')
  }
  process.once('exit', killAll)
  return {
    folder,
    start: (program, args, env, ready) =>
      new Promise((resolve, reject) => {
        const child = spawn(program, args, {
          cwd: folder,
          env: { PATH: process.env.PATH, ...own, TZ: 'Europe/Berlin', ...env },
          stdio: ['ignore', 'pipe', 'pipe'],
        })
        running.push(child)
        let output = ''
        if (!ready) child.once('spawn', () => resolve([]))
        const read = (text: string) => {
          output = (output + text).slice(-20_000)
          const found = ready?.exec(output)
          if (found) resolve([...found])
        }
        child.stdout.setEncoding('utf8').on('data', read)
        child.stderr.setEncoding('utf8').on('data', read)
        child.once('error', reject)
        child.once('close', (code) => reject(new Error(`${program} ended with ${code}: ${output}`)))
      }),
    end: async () => {
      for (const child of running.reverse()) {
        const closed = new Promise((resolve) => child.once('close', resolve))
        if (child.exitCode !== null || child.signalCode !== null) continue
        child.kill('SIGTERM')
        const late = setTimeout(() => child.kill('SIGKILL'), END_MS)
        await closed
        clearTimeout(late)
      }
      process.off('exit', killAll)
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
}
