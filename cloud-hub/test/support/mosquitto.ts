import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { startWatchdog } from '../../src/db/embedded/postmaster.ts'
import { keptPort, until } from '../processes.ts'

const shipped = (name: string) => fileURLToPath(new URL(`../../../install/mosquitto/${name}`, import.meta.url))
const ACCESS_LIST = shipped('acl')
/** Debian keeps the broker where only root looks. */
const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`

export interface Mosquitto {
  readonly url: string
  /** adds a user, or changes the password of one; it may log in a moment later */
  user(name: string, password: string): void
  /** adds many users with one password; they may log in a moment later */
  users(names: readonly string[], password: string): void
  /** lets an agent in by the script that the product ships; it may log in a moment later. @returns its password */
  addAgent(name: string): string
  /** starts it, and waits until it takes connections */
  start(): Promise<void>
  /** ends it, and waits for that; it may be started again, at the same address */
  end(signal: NodeJS.Signals): Promise<void>
  /** ends it, and removes its files */
  remove(): Promise<void>
}

/** A real Mosquitto with a password file and the access list that the product ships; not started yet. Its files are in a folder of `home`. */
export async function prepareMosquitto(home = os.tmpdir()): Promise<Mosquitto> {
  const folder = mkdtempSync(path.join(home, 'haltless-mosquitto-'))
  const [passwords, settings] = [path.join(folder, 'passwords'), path.join(folder, 'mosquitto.conf')]
  const draft = path.join(folder, 'passwords.draft')
  const port = await keptPort()
  const config = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous false',
    `password_file ${passwords}`,
    `acl_file ${ACCESS_LIST}`,
    'persistence false',
    // started by root it would become another user, who cannot read these files
    ...(process.getuid?.() === 0 ? ['user root'] : []),
  ]
  writeFileSync(passwords, '')
  writeFileSync(settings, `${config.join('\n')}\n`)
  let child: ChildProcess | undefined
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null
  const broker: Mosquitto = {
    url: `mqtt://127.0.0.1:${port}`,
    users(names, password) {
      // -U hashes every password of its file
      writeFileSync(draft, names.map((name) => `${name}:${password}\n`).join(''))
      execFileSync('mosquitto_passwd', ['-U', draft], { env: { PATH }, stdio: 'ignore' })
      writeFileSync(draft, readFileSync(passwords, 'utf8') + readFileSync(draft, 'utf8'))
      renameSync(draft, passwords)
      if (isRunning()) child?.kill('SIGHUP')
    },
    user(name, password) {
      copyFileSync(passwords, draft)
      execFileSync('mosquitto_passwd', ['-b', draft, name, password], { env: { PATH }, stdio: 'ignore' })
      // In one step: Mosquitto disconnects the users whom a file in the making lacks.
      renameSync(draft, passwords)
      if (isRunning()) child?.kill('SIGHUP')
    },
    addAgent(name) {
      const env = { PATH, MOSQUITTO_PASSWORDS: passwords, MOSQUITTO_PID: String(child?.pid) }
      return execFileSync('sh', [shipped('add-agent.sh'), name], {
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }).trim()
    },
    async start() {
      const mine = spawn('mosquitto', ['-c', settings], { env: { PATH }, stdio: 'ignore' })
      child = mine
      const failed = new Promise<never>((_, fail) => {
        mine.once('error', () => fail(new Error('This needs Mosquitto, and there is none: apt-get install mosquitto')))
        mine.once('exit', (code) => fail(new Error(`mosquitto ended with ${code}`)))
      })
      failed.catch(() => {})
      if (mine.pid) mine.once('exit', startWatchdog(mine.pid))
      await Promise.race([failed, until('mosquitto takes connections', () => reach(port))])
    },
    async end(signal) {
      if (!isRunning()) return
      const ended = new Promise((done) => child?.once('exit', done))
      child?.kill(signal)
      await ended
    },
    async remove() {
      await broker.end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return broker
}

const reach = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
