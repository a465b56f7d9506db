import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { tarOf, writeDeb, xz } from './archive.ts'
import { PLATFORMS, type Platform } from './platforms.ts'
import { stageControl, stageSystem } from './stage.ts'

const dir = mkdtempSync(path.join(os.tmpdir(), 'haltless-debian-test-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const platform = PLATFORMS.find(({ node }) => node === process.arch) as Platform
const missing = ['dpkg', 'dpkg-deb', 'tar', 'xz'].filter(
  (program) => !(process.env.PATH ?? '').split(':').some((bin) => existsSync(path.join(bin, program))),
)
if (missing.length > 0) console.warn(`the scripts of the package are not tested: ${missing.join(', ')} is missing`)

/** A systemd of two folders: units that are enabled, and units that are active. `stop` fails while there is a file `stuck`. */
const SYSTEMCTL = `#!/bin/sh
while [ "\${1#--}" != "$1" ]; do shift; done
verb=$1
shift
for unit; do
  case "$verb $unit" in
    *\\ --*) continue ;;
    enable*) : >"$SYSTEMD/enabled/$unit" ;;
    is-enabled*) [ -e "$SYSTEMD/enabled/$unit" ] || exit 1 ;;
    is-active*) if [ -e "$SYSTEMD/active/$unit" ]; then echo active; else echo inactive; exit 3; fi ;;
    start*|restart*) echo "$unit" >>"$SYSTEMD/starts"; : >"$SYSTEMD/active/$unit" ;;
    try-restart*) [ ! -e "$SYSTEMD/active/$unit" ] || echo "$unit" >>"$SYSTEMD/starts" ;;
    stop*) rm -f "$SYSTEMD/active/$unit"; [ ! -e "$SYSTEMD/stuck" ] || [ "$unit" != haltless-agent.service ] || exit 1 ;;
  esac
done
exit 0
`
/** Without the rights of root nobody sets owners; the user of the agent is there. */
const INSTALL = '#!/bin/sh\nfor folder; do :; done\nmkdir -p "$folder"\n'
const TOOLS = { systemctl: SYSTEMCTL, install: INSTALL, getent: '#!/bin/sh\n', useradd: '#!/bin/sh\nexit 1\n' }
const [SERVICE, PATH_UNIT] = ['haltless-agent.service', 'haltless-agent-update.path']

function script(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, 0o755)
}

/** A program that prints its version. */
const programOf = (version: string) => `#!/bin/sh\necho ${version}\n`

/** A package with the real scripts and units, and a program that prints its version. */
function packageOf(version: string): string {
  const work = path.join(dir, `package-${version}`)
  const [system, control] = [path.join(work, 'system'), path.join(work, 'control')]
  script(path.join(system, 'opt/haltless-agent/package/bin/node'), programOf(version))
  const release = { version, epoch: 1_790_000_000, updateKey: null }
  stageSystem(platform, release, system)
  stageControl(platform, release, control, 1)
  return debOf(work, `${version}.deb`)
}

function debOf(work: string, name: string): string {
  for (const part of ['control', 'system']) tarOf(path.join(work, part), path.join(work, `${part}.tar`), 1_790_000_000)
  renameSync(path.join(work, 'system.tar'), path.join(work, 'data.tar'))
  const members = { control: xz(path.join(work, 'control.tar'), 0), data: xz(path.join(work, 'data.tar'), 0) }
  writeDeb(path.join(dir, name), members, 1_790_000_000)
  return path.join(dir, name)
}

/** A package as it was when dpkg owned the version itself, with scripts that do what its own did at an upgrade. */
function earlierPackageOf(version: string): string {
  const work = path.join(dir, `earlier-${version}`)
  script(path.join(work, `system/opt/haltless-agent/versions/${version}/bin/node`), programOf(version))
  const control = `Package: haltless-agent\nVersion: ${version}\nArchitecture: ${platform.debian}\nMaintainer: A <a@b.example>\nDescription: agent\n`
  mkdirSync(path.join(work, 'control'), { recursive: true })
  writeFileSync(path.join(work, 'control/control'), control)
  const links = `for link in confirmed current; do ln -sfn versions/${version} "$DPKG_ROOT/opt/haltless-agent/$link"; done`
  script(path.join(work, 'control/postinst'), `#!/bin/sh\n${links}\n`)
  return debOf(work, `earlier-${version}.deb`)
}

describe.skipIf(platform === undefined || missing.length > 0)('the scripts of the Debian package', () => {
  let root = ''
  let first = ''
  let second = ''
  const systemd = (name: string) => path.join(root, 'systemd', name)
  const home = (...names: string[]) => path.join(root, 'opt/haltless-agent', ...names)
  const dpkg = (...args: string[]) =>
    execFileSync('dpkg', [`--root=${root}`, '--force-not-root', '--force-script-chrootless', '--force-depends', ...args], {
      env: { ...process.env, PATH: `${path.join(root, 'tools')}:/usr/sbin:/sbin:${process.env.PATH}`, SYSTEMD: systemd('') },
      encoding: 'utf8',
      stdio: 'pipe',
    })
  const running = () => execFileSync(home('current/bin/node'), { encoding: 'utf8' }).trim()
  const is = (state: 'active' | 'enabled', unit: string) => existsSync(systemd(`${state}/${unit}`))
  const set = (state: 'active' | 'enabled', unit: string, isSet: boolean) =>
    isSet ? writeFileSync(systemd(`${state}/${unit}`), '') : rmSync(systemd(`${state}/${unit}`), { force: true })
  const starts = () => (existsSync(systemd('starts')) ? readFileSync(systemd('starts'), 'utf8').trim().split('\n') : [])

  beforeAll(() => {
    first = packageOf('1.0.0')
    second = packageOf('2.0.0')
  })
  beforeEach(() => {
    root = mkdtempSync(path.join(dir, 'root-'))
    for (const folder of ['var/lib/dpkg/updates', 'var/lib/dpkg/info', 'run/systemd/system', 'systemd/active', 'systemd/enabled'])
      mkdirSync(path.join(root, folder), { recursive: true })
    writeFileSync(path.join(root, 'var/lib/dpkg/status'), '')
    for (const [name, text] of Object.entries(TOOLS)) script(path.join(root, 'tools', name), text)
  })

  it('enable and start both units of a first installation', () => {
    dpkg('--install', first)
    for (const unit of [SERVICE, PATH_UNIT]) expect([is('enabled', unit), is('active', unit)]).toEqual([true, true])
    expect(running()).toBe('1.0.0')
    const manual = gunzipSync(readFileSync(path.join(root, 'usr/share/man/man1/haltless-agent.1.gz'))).toString()
    expect(manual).toContain('"haltless-agent 1.0.0" Haltless')
  })

  it.each([
    ['disabled and stopped', false, false],
    ['stopped and enabled', true, false],
    ['running and disabled', false, true],
    ['running and enabled', true, true],
  ])('leave units that are %s as they are in an upgrade', (_, isEnabled, isActive) => {
    dpkg('--install', first)
    for (const unit of [SERVICE, PATH_UNIT]) {
      set('enabled', unit, isEnabled)
      set('active', unit, isActive)
    }
    rmSync(systemd('starts'))
    dpkg('--install', second)
    for (const unit of [SERVICE, PATH_UNIT]) expect([is('enabled', unit), is('active', unit)]).toEqual([isEnabled, isActive])
    expect(starts()).toEqual(isActive ? [SERVICE, PATH_UNIT] : [])
    expect(running()).toBe('2.0.0')
  })

  it('leave the version that runs whole until the new one is configured', () => {
    dpkg('--install', first)
    rmSync(systemd('starts'))
    dpkg('--unpack', second)
    expect(running()).toBe('1.0.0')
    expect(execFileSync(home('versions/1.0.0/bin/node'), { encoding: 'utf8' })).toBe('1.0.0\n')
    expect(starts()).toEqual([])
    dpkg('--configure', 'haltless-agent')
    expect(running()).toBe('2.0.0')
    expect(existsSync(home('versions/1.0.0'))).toBe(false)
  })

  it('keep the running version of an earlier package that dpkg takes away', () => {
    dpkg('--install', earlierPackageOf('0.9.0'))
    dpkg('--unpack', second)
    expect(existsSync(home('versions/0.9.0/bin/node'))).toBe(false)
    expect(running()).toBe('0.9.0')
    dpkg('--configure', 'haltless-agent')
    expect(running()).toBe('2.0.0')
    expect(existsSync(home('versions/.kept'))).toBe(false)
  })

  it('install the same version again, and an older one over a newer package', () => {
    dpkg('--install', second)
    dpkg('--install', second)
    expect([running(), readlinkSync(home('current'))]).toEqual(['2.0.0', 'versions/2.0.0'])
    dpkg('--install', first)
    expect(running()).toBe('1.0.0')
  })

  it('keep a newer version that came from the hub', () => {
    dpkg('--install', first)
    script(home('versions/3.0.0/bin/node'), programOf('3.0.0'))
    for (const link of ['current', 'confirmed']) execFileSync('ln', ['-sfn', 'versions/3.0.0', home(link)])
    expect(dpkg('--install', second)).toContain('version 3.0.0 from the hub is newer and stays')
    expect(running()).toBe('3.0.0')
  })

  it('start again only what ran when a removal fails', () => {
    dpkg('--install', first)
    set('active', PATH_UNIT, false)
    writeFileSync(systemd('stuck'), '')
    expect(() => dpkg('--remove', 'haltless-agent')).toThrow()
    expect([is('active', SERVICE), is('active', PATH_UNIT)]).toEqual([true, false])
    expect(running()).toBe('1.0.0')
  })

  it.each([true, false])(
    'leave the service as it was when the package is installed after a removal (enabled: %s)',
    (isEnabled) => {
      dpkg('--install', first)
      set('enabled', SERVICE, isEnabled)
      dpkg('--remove', 'haltless-agent')
      expect([is('active', SERVICE), existsSync(home())]).toEqual([false, false])
      dpkg('--install', second)
      expect([is('enabled', SERVICE), is('active', SERVICE)]).toEqual([isEnabled, isEnabled])
      expect(is('active', PATH_UNIT)).toBe(true)
    },
  )
})
