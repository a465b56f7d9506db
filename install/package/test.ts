import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { parse, stringify } from 'yaml'
import { root } from './run.ts'

/**
 * `npm run package:test`: installs, boots, upgrades, removes and purges the agent's package in a clean Debian with systemd as PID 1, beside a
 * hub and a simulated plant on this computer. Needs root, mmdebstrap and systemd-nspawn; it says so and succeeds where they are missing.
 */
const say = (text: string) => process.stdout.write(`${text}\n`)
const has = (program: string) => (process.env.PATH ?? '').split(':').some((dir) => existsSync(path.join(dir, program)))
const SUITE = 'bookworm'
const ZSTD = { params: { [constants.ZSTD_d_windowLogMax]: 27 } }

if (process.argv.includes('--help')) {
  say(`Usage: npm run package:test
Installs, boots, upgrades and removes the agent's package in a clean Debian. Needs root, mmdebstrap and systemd-nspawn.`)
  process.exit(0)
}

const missing = ['mmdebstrap', 'systemd-nspawn'].filter((program) => !has(program))
if (process.getuid?.() !== 0) missing.push('root')
if (missing.length > 0) {
  say(`Not run: the test of the package needs ${missing.join(', ')}.`)
  process.exit(0)
}

const dir = mkdtempSync(path.join(os.tmpdir(), 'haltless-package-test-'))
const debian = path.join(dir, 'debian')
let demo: ChildProcess | undefined
try {
  const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch as 'x64']
  say('Building versions of the package, and signed releases of three ...')
  const key = path.join(dir, 'release.key')
  packaging('keygen', '--out', key)
  for (const [out, ...args] of [
    ['old'],
    ['new', '--as-version', '9.9.9'],
    ['updates', '--as-version', '4.0.0'],
    ['updates', '--as-version', '5.0.0'],
    ['updates', '--as-version', '6.0.0'],
  ])
    packaging('--fast', '--arch', architecture, '--update-key', `${key}.pub`, '--out', path.join(dir, out as string), ...args)
  breakProgram(path.join(dir, 'updates', `haltless-agent-6.0.0-linux-${architecture}.tar.zst`))
  for (const version of ['4.0.0', '5.0.0', '6.0.0'])
    packaging(
      'sign',
      '--key',
      key,
      '--dir',
      path.join(dir, 'updates'),
      '--as-version',
      version,
      '--sequence',
      version.slice(0, 1),
    )
  say(`Creating Debian ${SUITE} ...`)
  execFileSync('mmdebstrap', ['--quiet', '--variant=minbase', '--include=systemd,systemd-sysv,dbus,libstdc++6', SUITE, debian], {
    stdio: 'inherit',
  })
  runOnArm()
  say('Starting a hub and a plant ...')
  const data = path.join(dir, 'demo')
  demo = spawn(process.execPath, [path.join(root, 'cloud-hub/src/demo/main.ts')], {
    env: { ...process.env, DATA_DIR: data, PORT: '0', MQTT_PORT: '0' },
    stdio: 'ignore',
  })
  const settings = path.join(data, 'demo/agent.yaml')
  while (!existsSync(settings)) {
    if (demo.exitCode !== null) throw new Error('npm start ended')
    await setTimeout(500)
  }
  const release = path.join(dir, 'updates/haltless-agent-4.0.0.release.json')
  execFileSync('npm', ['run', '-s', 'hub', '--', 'releases', 'add', release], {
    cwd: root,
    env: { ...process.env, DATA_DIR: data },
    stdio: 'inherit',
  })
  await prepareRoot(readFileSync(settings, 'utf8'), path.join(data, 'demo.json'))
  for (const boot of ['first', 'second']) {
    say(`Booting for the ${boot} time ...`)
    execFileSync('systemd-nspawn', ['--register=no', '--keep-unit', '-q', '-D', debian, '-b'], {
      stdio: 'ignore',
      timeout: 600_000,
    })
  }
  const result = readFileSync(path.join(debian, 'result'), 'utf8')
  say(result)
  if (/^BAD/m.test(result) || !result.endsWith('done\n')) process.exitCode = 1
} finally {
  if (demo && demo.exitCode === null) {
    demo.kill('SIGTERM')
    await new Promise((done) => demo?.once('exit', done))
  }
  rmSync(dir, { recursive: true, force: true })
}

function packaging(...args: string[]): void {
  execFileSync(process.execPath, [path.join(import.meta.dirname, 'main.ts'), ...args])
}

/** Makes the program of an archive one that tells its version and ends otherwise. */
function breakProgram(archive: string): void {
  const tree = mkdtempSync(path.join(dir, 'broken-'))
  execFileSync('tar', ['-x', '-C', tree], { input: zstdDecompressSync(readFileSync(archive), ZSTD) })
  const [name] = readdirSync(tree) as [string]
  const program = "if (process.argv[2] !== '--version') process.exit(1)\nprocess.stdout.write('6.0.0\\n')\n"
  writeFileSync(path.join(tree, name, 'app/lib/agent.mjs'), program)
  const tar = execFileSync('tar', ['-c', '--owner=0', '--group=0', '--format=gnu', '-C', tree, name], { maxBuffer: 1 << 30 })
  writeFileSync(archive, zstdCompressSync(tar))
}

/** Creates an enrolment key in the hub of the demonstration. @returns the address of the hub, and the key */
async function newEnrolmentKey(access: string): Promise<{ url: string; key: string }> {
  const { url, email, password } = JSON.parse(readFileSync(access, 'utf8')) as Record<'url' | 'email' | 'password', string>
  const api = `${url.replace(/\/api\/v1$/, '')}/api/v1`
  const post = async (route: string, body: object, token = '') => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const answer = await fetch(`${api}/${route}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${route} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as Record<string, string>
  }
  const { access_token } = await post('auth/login', { email, password })
  const { key } = await post('enrolment-keys', { name: 'package:test' }, access_token)
  return { url: api.replace(/\/api\/v1$/, ''), key: key as string }
}

/** Puts packages, enrolment key and collectors into the root, and a unit that runs in-root.sh at each boot. */
async function prepareRoot(settings: string, access: string): Promise<void> {
  const packages = path.join(debian, 'packages')
  mkdirSync(packages)
  for (const name of ['old', 'new']) {
    const file = readdirSync(path.join(dir, name)).find((entry) => entry.endsWith('.deb')) as string
    cpSync(path.join(dir, name, file), path.join(packages, `${name}.deb`))
  }
  for (const version of ['5.0.0', '6.0.0']) {
    const folder = path.join(packages, version)
    mkdirSync(folder)
    const archive = readdirSync(path.join(dir, 'updates')).find((entry) => entry.endsWith('.tar.zst') && entry.includes(version))
    cpSync(path.join(dir, 'updates', archive as string), path.join(folder, 'archive.tar.zst'))
    const release = JSON.parse(readFileSync(path.join(dir, 'updates', `haltless-agent-${version}.release.json`), 'utf8'))
    writeFileSync(path.join(folder, 'request.json'), JSON.stringify({ id: randomUUID(), release }))
  }
  const { url, key } = await newEnrolmentKey(access)
  const { collectors } = parse(settings) as { collectors: unknown }
  for (const [name, text] of Object.entries({ hub: url, key, 'collectors.yaml': stringify(collectors) }))
    writeFileSync(path.join(packages, name), text)
  cpSync(access, path.join(packages, 'hub.json'))
  cpSync(path.join(import.meta.dirname, 'roll-out.mjs'), path.join(packages, 'roll-out.mjs'))
  cpSync(path.join(import.meta.dirname, 'in-root.sh'), path.join(debian, 'in-root.sh'))
  const unit = path.join(debian, 'etc/systemd/system/in-root.service')
  writeFileSync(
    unit,
    '[Unit]\nAfter=multi-user.target\n[Service]\nType=oneshot\nExecStart=/bin/sh /in-root.sh\nTimeoutStartSec=540\n',
  )
  const wanted = path.join(debian, 'etc/systemd/system/default.target.wants')
  mkdirSync(wanted, { recursive: true })
  symlinkSync('../in-root.service', path.join(wanted, 'in-root.service'))
}

/** Starts the program of the package for arm64 in an emulator, with the libraries of that Debian. */
function runOnArm(): void {
  if (!has('qemu-aarch64-static')) {
    say('Not run: the package for arm64 needs qemu-aarch64-static.')
    return
  }
  say('Starting the package for arm64 in an emulator ...')
  const [out, libraries] = [path.join(dir, 'arm64'), path.join(dir, 'arm64-libraries')]
  execFileSync(process.execPath, [
    path.join(import.meta.dirname, 'main.ts'),
    '--no-updates',
    '--fast',
    '--arch',
    'arm64',
    '--out',
    out,
  ])
  const packages = '--include=libc6,libstdc++6,libgcc-s1,libatomic1'
  execFileSync('mmdebstrap', ['--quiet', '--architectures=arm64', '--variant=extract', packages, SUITE, libraries], {
    stdio: 'inherit',
  })
  const deb = readdirSync(out).find((name) => name.endsWith('.deb')) as string
  const tree = path.join(dir, 'arm64-tree')
  execFileSync('dpkg-deb', ['-x', path.join(out, deb), tree])
  const program = path.join(tree, 'opt/haltless-agent/package')
  const { version } = JSON.parse(readFileSync(path.join(program, 'package.json'), 'utf8')) as { version: string }
  const node = path.join(program, 'bin/node')
  const agent = path.join(program, 'app/lib/agent.mjs')
  const answer = execFileSync('qemu-aarch64-static', ['-L', libraries, node, agent, '--version'], { encoding: 'utf8' }).trim()
  const sqlite = `require(${JSON.stringify(path.join(program, 'app/lib/node_modules/better-sqlite3'))})(':memory:').prepare('select 1').get()`
  execFileSync('qemu-aarch64-static', ['-L', libraries, node, '-e', sqlite])
  say(`${answer === version ? 'ok  ' : 'BAD '} the program for arm64 starts, with its SQLite`)
  if (answer !== version) process.exitCode = 1
}
