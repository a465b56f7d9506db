import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'

/** Debian keeps the broker where only root looks. */
const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`

/** A Mosquitto as it runs in a plant: everybody on this computer may use it. */
export interface LocalBroker {
  readonly port: number
  /** @returns once it takes connections */
  start(): Promise<void>
  /** it may be started again at the same port */
  end(signal?: NodeJS.Signals): Promise<void>
  /** ends it, and removes its files */
  remove(): Promise<void>
}

/** @param lines more settings of mosquitto.conf @returns a started broker */
export async function startLocalBroker(lines: readonly string[] = [], home = os.tmpdir()): Promise<LocalBroker> {
  const folder = mkdtempSync(path.join(home, 'local-broker-'))
  const settings = path.join(folder, 'mosquitto.conf')
  const port = await freePort()
  const user = process.getuid?.() === 0 ? ['user root'] : []
  const access = lines.some((line) => line.startsWith('allow_anonymous')) ? [] : ['allow_anonymous true']
  writeFileSync(settings, `${[`listener ${port} 127.0.0.1`, 'persistence false', ...access, ...user, ...lines].join('\n')}\n`)
  let child: ChildProcess | undefined
  const broker: LocalBroker = {
    port,
    async start() {
      const mine = spawn('mosquitto', ['-c', settings], { env: { PATH }, stdio: 'ignore' })
      child = mine
      let failure = ''
      mine.once('error', () => {
        failure = 'This needs Mosquitto, and there is none: apt-get install mosquitto'
      })
      mine.once('exit', (code) => {
        failure ||= `mosquitto ended with ${code}`
      })
      process.once('exit', () => mine.kill('SIGKILL'))
      while (!(await isReachable(port))) {
        if (failure) throw new Error(failure)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    async end(signal = 'SIGTERM') {
      const mine = child
      child = undefined
      if (!mine || mine.exitCode !== null || mine.signalCode !== null) return
      const ended = new Promise((resolve) => mine.once('exit', resolve))
      mine.kill(signal)
      await ended
    },
    async remove() {
      await broker.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await broker.start()
  return broker
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

const isReachable = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
