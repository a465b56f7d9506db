import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { SimulatorOptions } from './opcua-simulator.ts'

export interface OpcUaProcess {
  port: number
  /** SIGSTOP: connections stay open, and nothing answers */
  freeze(): void
  /** SIGCONT */
  thaw(): void
  stop(): Promise<void>
}

/** Starts an OPC UA server in a process of its own, which ends with this one. */
export async function startOpcUaProcess(options: SimulatorOptions, nodes: number, slowMs = 0): Promise<OpcUaProcess> {
  const script = path.join(import.meta.dirname, 'opcua-process.ts')
  const child = spawn(process.execPath, [script, JSON.stringify(options), String(nodes), String(slowMs)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').once('data', (line: string) => resolve(Number(line)))
    ended.then(([code]) => reject(new Error(`the server ended with ${code}`)))
  })
  return {
    port,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    stop: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
