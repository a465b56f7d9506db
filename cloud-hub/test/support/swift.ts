import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startWatchdog } from '../../src/db/embedded/postmaster.ts'
import { keptPort, until } from '../processes.ts'

/** The S3 interface of a real OpenStack Swift on this machine, with its files in a folder of its own. */
export interface Swift {
  readonly endpoint: string
  readonly accessKey: string
  readonly secret: string
  start(): Promise<void>
  /** ends all its servers; it may be started again, at the same address and with the same objects */
  end(signal: NodeJS.Signals): Promise<void>
  remove(): Promise<void>
}

const PATH = `${process.env.PATH}:/usr/bin:/usr/sbin`
const PROGRAMS = ['swift-proxy-server', 'swift-account-server', 'swift-container-server', 'swift-object-server', 'memcached']
const missing = PROGRAMS.filter((name) => !PATH.split(':').some((folder) => existsSync(path.join(folder, name))))

/** Why tests with Swift are skipped on this machine; null: they run. */
export const swiftSkipped =
  missing.length > 0
    ? `${missing.join(', ')} not found: apt-get install swift-proxy swift-account swift-container swift-object memcached`
    : null

const BACK_ENDS = ['account', 'container', 'object'] as const

export async function prepareSwift(): Promise<Swift> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'haltless-swift-'))
  const [proxy, cache] = [await keptPort(), await keptPort()]
  const ports = { account: await keptPort(), container: await keptPort(), object: await keptPort() }
  writeSettings(folder, { proxy, cache, ...ports })
  let children: ChildProcess[] = []
  const run = (program: string, ...args: string[]) => {
    const child = spawn(program, args, { env: { PATH, PYTHONWARNINGS: 'ignore' }, stdio: 'ignore' })
    if (child.pid) child.once('exit', startWatchdog(child.pid))
    children.push(child)
  }
  const swift: Swift = {
    endpoint: `http://127.0.0.1:${proxy}`,
    accessKey: 'test:tester',
    secret: 'testing',
    async start() {
      run('memcached', '-l', '127.0.0.1', '-p', String(cache), '-U', '0', '-m', '16', '-u', os.userInfo().username)
      for (const name of BACK_ENDS) run(`swift-${name}-server`, path.join(folder, `${name}-server.conf`))
      run('swift-proxy-server', path.join(folder, 'proxy-server.conf'))
      const servers = [proxy, ...Object.values(ports)]
      await until('Swift answers', () => Promise.all(servers.map(answers)).then((all) => all.every(Boolean)), 180_000)
    },
    async end(signal) {
      const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      children = []
      const ended = running.map((child) => new Promise((done) => child.once('exit', done)))
      for (const child of running) child.kill(signal)
      await Promise.all(ended)
    },
    async remove() {
      await swift.end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return swift
}

const answers = (port: number) =>
  fetch(`http://127.0.0.1:${port}/healthcheck`).then(
    ({ ok }) => ok,
    () => false,
  )

function writeSettings(folder: string, ports: Record<'proxy' | 'cache' | (typeof BACK_ENDS)[number], number>): void {
  const common = (port: number) =>
    `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${os.userInfo().username}
swift_dir = ${folder}
devices = ${folder}/devices
mount_check = false
`
  mkdirSync(path.join(folder, 'devices/disk'), { recursive: true })
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text)
  write('swift.conf', '[swift-hash]\nswift_hash_path_prefix = a\nswift_hash_path_suffix = b\n')
  for (const name of BACK_ENDS) {
    const pipeline = `[pipeline:main]\npipeline = healthcheck ${name}-server\n[filter:healthcheck]\nuse = egg:swift#healthcheck\n`
    write(`${name}-server.conf`, `${common(ports[name])}${pipeline}[app:${name}-server]\nuse = egg:swift#${name}\n`)
    const ring = (...args: string[]) =>
      execFileSync('swift-ring-builder', [path.join(folder, `${name}.builder`), ...args], { env: { PATH }, stdio: 'ignore' })
    ring('create', '4', '1', '0')
    ring(
      'add',
      '--region',
      '1',
      '--zone',
      '1',
      '--ip',
      '127.0.0.1',
      '--port',
      String(ports[name]),
      '--device',
      'disk',
      '--weight',
      '1',
    )
    ring('rebalance')
  }
  const filters = {
    healthcheck: '',
    catch_errors: '',
    cache: `memcache_servers = 127.0.0.1:${ports.cache}`,
    s3api: 's3_acl = false\nlocation = us-east-1',
    tempauth: 'user_test_tester = testing .admin',
    bulk: '',
    slo: '',
  }
  const uses: Partial<Record<string, string>> = { cache: 'memcache' }
  write(
    'proxy-server.conf',
    [
      common(ports.proxy),
      `[pipeline:main]\npipeline = ${Object.keys(filters).join(' ')} proxy-server`,
      '[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true',
      ...Object.entries(filters).map(([name, text]) => `[filter:${name}]\nuse = egg:swift#${uses[name] ?? name}\n${text}`),
    ].join('\n'),
  )
}
