import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { startWatchdog } from '../../src/db/embedded/postmaster.ts'
import { keptPort, until } from '../processes.ts'
import { selfSigned } from '../self-signed.ts'

const DOCUMENT = path.resolve(import.meta.dirname, '../../docs/several-hubs.md')
/** Debian keeps it where only root looks. */
const PROGRAM = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'].find(existsSync) ?? 'haproxy'

/** The files of the document: the first is complete, the second replaces all sections of the first but `global` and `defaults`. */
export function documentedFiles(): { ending: string; passing: string } {
  const blocks = [...readFileSync(DOCUMENT, 'utf8').matchAll(/^```haproxy\n([\s\S]*?)^```$/gm)].map((match) => match[1] as string)
  const [ending, sections] = blocks
  if (blocks.length !== 2 || !ending || !sections)
    throw new Error(`${DOCUMENT} has ${blocks.length} files of HAProxy instead of two`)
  const passing = `${ending.slice(0, ending.indexOf('\nfrontend '))}\n${sections}`
  return { ending, passing }
}

/** Where a hub listens. */
export interface BalancedHub {
  port: number
  mqttPort: number
}

export interface Haproxy {
  httpsUrl: string
  mqttsUrl: string
  /** that clients have to trust, where HAProxy ends TLS */
  certificate: string
  start(): Promise<void>
  /** by the socket for administrators, as the document says. @returns its answer */
  command(line: string): Promise<string>
  /** how HAProxy sees a server, such as `UP`, `DOWN` or `DRAIN` */
  statusOf(backend: string, server: string): Promise<string>
  remove(): Promise<void>
}

/** HAProxy's address: what it sends a header from differs from that of a test, which connects without. */
export const PROXY_ADDRESS = '127.0.0.2'

/**
 * Prepares a file of the document for this machine: addresses, ports, certificate and socket are its own, and users stay as they are; all else is as
 * documented. HAProxy itself has parsed the file; it is not started yet.
 * @param options.isHeaderless hubs of an older version know no PROXY protocol
 */
export async function prepareHaproxy(
  file: string,
  hubs: readonly BalancedHub[],
  { home = os.tmpdir(), isHeaderless = false }: { home?: string; isHeaderless?: boolean } = {},
): Promise<Haproxy> {
  const folder = mkdtempSync(path.join(home, 'haltless-haproxy-'))
  const [configuration, pem, socket] = ['haproxy.cfg', 'hub.pem', 'admin.sock'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ]
  const { cert, key } = selfSigned()
  writeFileSync(pem, cert + key)
  const [https, mqtts] = [await keptPort(), await keptPort()]
  const replaced = (text: string, from: RegExp, to: (...found: string[]) => string, count: number) => {
    if ([...text.matchAll(new RegExp(from.source, 'gm'))].length !== count)
      throw new Error(`${from} does not occur ${count} times in the documented file`)
    return text.replace(new RegExp(from.source, 'gm'), to)
  }
  /** folders of tests may have spaces in their names */
  const quoted = (name: string) => `"${name}"`
  const hub = (name: string) => hubs[Number(name) - 1] as BalancedHub
  let text = replaced(file, /^ +(user|group) haproxy\n/, () => '', 2)
  text = replaced(text, /\/run\/haproxy\/admin\.sock/, () => quoted(socket), 1)
  text = replaced(text, /bind :443\b/, () => `bind 127.0.0.1:${https}`, 1)
  text = replaced(text, /bind :8883\b/, () => `bind 127.0.0.1:${mqtts}`, 1)
  text = text.replaceAll('/etc/haproxy/hub.pem', quoted(pem))
  text = replaced(
    text,
    /server hub(\d) 10\.0\.0\.1\d:8080$/,
    (_, n) => `server hub${n} 127.0.0.1:${hub(n as string).port} source ${PROXY_ADDRESS}`,
    3,
  )
  text = replaced(
    text,
    /server hub(\d) 10\.0\.0\.1\d:(?:1883|8883) check port 8080$/,
    (_, n) => `server hub${n} 127.0.0.1:${hub(n as string).mqttPort} check port ${hub(n as string).port} source ${PROXY_ADDRESS}`,
    3,
  )
  if (isHeaderless) text = text.replaceAll(' send-proxy-v2 check-send-proxy', '')
  writeFileSync(configuration, text)
  try {
    execFileSync(PROGRAM, ['-c', '-f', configuration], { stdio: 'pipe' })
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: Buffer }
    rmSync(folder, { recursive: true, force: true })
    throw new Error(
      code === 'ENOENT'
        ? 'This needs HAProxy, and there is none: apt-get install haproxy'
        : `HAProxy refuses the file: ${stderr}`,
    )
  }
  let child: ChildProcess | undefined
  const command = (line: string) =>
    new Promise<string>((resolve, reject) => {
      const client = connect(socket, () => client.end(`${line}\n`))
      let answer = ''
      client.on('data', (chunk) => {
        answer += chunk
      })
      client.on('error', reject).on('close', () => resolve(answer))
    })
  const haproxy: Haproxy = {
    httpsUrl: `https://127.0.0.1:${https}`,
    mqttsUrl: `mqtts://127.0.0.1:${mqtts}`,
    certificate: cert,
    command,
    async start() {
      const mine = spawn(PROGRAM, ['-db', '-f', configuration], { stdio: ['ignore', 'ignore', 'pipe'] })
      child = mine
      let said = ''
      mine.stderr.on('data', (chunk) => {
        said = (said + chunk).slice(-2_000)
      })
      if (mine.pid) mine.once('exit', startWatchdog(mine.pid))
      await until('HAProxy answers', () => {
        if (mine.exitCode !== null) throw new Error(`HAProxy ended with ${mine.exitCode}: ${said}`)
        return command('show info').catch(() => null)
      })
    },
    async statusOf(backend, server) {
      const [head = '', ...rows] = (await command('show stat'))
        .replace(/^# /, '')
        .split('\n')
        .map((row) => row.split(',')) as [string[], ...string[][]]
      const at = (head as string[]).indexOf('status')
      return rows.find(([proxy, name]) => proxy === backend && name === server)?.[at] ?? ''
    },
    async remove() {
      if (child && child.exitCode === null && child.signalCode === null) {
        const ended = new Promise((done) => child?.once('exit', done))
        child.kill('SIGTERM')
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return haproxy
}
