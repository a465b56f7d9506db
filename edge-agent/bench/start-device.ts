import { spawn } from 'node:child_process'
import path from 'node:path'

/** Starts `device.ts` with these arguments. */
export async function startDevice(...args: string[]): Promise<{ port: number; stop(): void }> {
  const device = spawn(process.execPath, [path.join(import.meta.dirname, 'device.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await new Promise<number>((resolve, reject) => {
    device.stdout.once('data', (text) => resolve(Number(String(text))))
    device.once('exit', (code) => reject(new Error(`the device ended with ${code}`)))
  })
  return { port, stop: () => device.kill('SIGKILL') }
}
