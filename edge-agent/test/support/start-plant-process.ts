import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { CountingPlant, CountingPlantOptions, ServedPoll } from './counting-plant.ts'

export interface PlantProcess extends CountingPlant {
  /** SIGSTOP: connections stay open, and nothing answers */
  freeze(): void
  /** SIGCONT */
  thaw(): void
}

type Message = { served: ServedPoll } | { started: Pick<CountingPlant, 'collectors' | 'machines'> }

/** Starts a counting plant in a process of its own. `onServed` is called a moment after the answer left. */
export async function startPlantProcess({ onServed, ...options }: CountingPlantOptions): Promise<PlantProcess> {
  const script = path.join(import.meta.dirname, 'plant-process.ts')
  const child = spawn(process.execPath, [script, options.dir], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  const { collectors, machines } = await new Promise<Pick<CountingPlant, 'collectors' | 'machines'>>((resolve, reject) => {
    child.on('message', (message: Message) => {
      if ('served' in message) onServed(message.served)
      else resolve(message.started)
    })
    ended.then(([code]) => reject(new Error(`the plant ended with ${code}`)))
    child.send(options)
  })
  return {
    collectors,
    machines,
    quiet: () => void child.send('quiet'),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    stop: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
