import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readFileSync, writeSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../../..')
const STOP_MS = 10_000

/** A program of ours that runs beside the hub; its log is a file. */
export interface Child {
  name: string
  logFile: string
  /** resolves with the reason when it ends unexpectedly */
  unexpectedExit: Promise<string>
  /** the first line of its output that matches */
  waitFor(pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray>
  stop(): Promise<void>
}

/** Starts a program in a process group of its own, so that Ctrl-C reaches it only through us, in order. */
export function startChild(name: string, script: string, args: string[], logFile: string): Child {
  const log = openSync(logFile, 'a', 0o600)
  const follow = path.join(import.meta.dirname, 'follow-parent.ts')
  const child: ChildProcess = spawn(process.execPath, ['--import', follow, path.join(root, script), ...args], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', log, 'ipc'],
  })
  let output = ''
  const listeners = new Set<() => void>()
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    writeSync(log, text)
    output = (output + text).slice(-20_000)
    for (const listener of listeners) listener()
  })
  let stopping = false
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)))
  const unexpectedExit = ended.then((code) =>
    stopping
      ? new Promise<string>(() => {})
      : `The ${name} ended unexpectedly (${code ?? 'killed'}): ${lastLine(logFile)}\nIts log: ${logFile}`,
  )
  return {
    name,
    logFile,
    unexpectedExit,
    waitFor: (pattern, timeoutMs) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`The ${name} did not start within ${timeoutMs / 1000} s; its log: ${logFile}`)),
          timeoutMs,
        )
        const look = () => {
          const found = pattern.exec(output)
          if (!found) return
          clearTimeout(timer)
          listeners.delete(look)
          resolve(found)
        }
        listeners.add(look)
        look()
        unexpectedExit.then((reason) => {
          clearTimeout(timer)
          reject(new Error(reason))
        })
      }),
    async stop() {
      stopping = true
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await ended
      clearTimeout(late)
    },
  }
}

const lastLine = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)?.slice(0, 300) ?? ''
