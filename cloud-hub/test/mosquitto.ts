import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, vi } from 'vitest'

const ACCESS_LIST = fileURLToPath(new URL('../../install/mosquitto/acl', import.meta.url))
/** Debian keeps the broker where only root looks. */
const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`

export interface Mosquitto {
  url: string
  /** adds a user, or changes the password of one */
  user(name: string, password: string): void
  stop(): Promise<void>
}

/** A real Mosquitto with a password file and the access list that the product ships. */
export function useMosquitto(): Mosquitto {
  const broker = { url: '' } as Mosquitto
  let folder: string
  let child: ChildProcess
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'haltless-mosquitto-'))
    const passwords = path.join(folder, 'passwords')
    await writeFile(passwords, '')
    const port = await freePort()
    const config = [
      `listener ${port} 127.0.0.1`,
      'allow_anonymous false',
      `password_file ${passwords}`,
      `acl_file ${ACCESS_LIST}`,
      'persistence false',
      // started by root it would become another user, who cannot read these files
      ...(process.getuid?.() === 0 ? ['user root'] : []),
    ]
    await writeFile(path.join(folder, 'mosquitto.conf'), `${config.join('\n')}\n`)
    child = spawn('mosquitto', ['-c', path.join(folder, 'mosquitto.conf')], { env: { PATH }, stdio: 'ignore' })
    const failed = new Promise<never>((_, fail) => {
      child.once('error', () => fail(new Error('This test needs Mosquitto, and there is none: apt-get install mosquitto')))
      child.once('exit', (code) => fail(new Error(`mosquitto ended with ${code}`)))
    })
    failed.catch(() => {})
    await Promise.race([failed, vi.waitFor(() => reach(port), { timeout: 8_000, interval: 20 })])
    broker.url = `mqtt://127.0.0.1:${port}`
    broker.user = (name, password) => {
      execFileSync('mosquitto_passwd', ['-b', passwords, name, password], { env: { PATH }, stdio: 'ignore' })
      child.kill('SIGHUP')
    }
    broker.stop = async () => {
      if (child.exitCode !== null || child.signalCode !== null || !child.pid) return
      const ended = new Promise((done) => child.once('exit', done))
      child.kill('SIGTERM')
      await ended
    }
  })
  afterAll(async () => {
    await broker.stop?.()
    await rm(folder, { recursive: true })
  })
  return broker
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

const reach = (port: number) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve()
    })
    socket.once('error', reject)
  })
