import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { bundleAgent } from './bundle.ts'
import { manPage } from './man-page.ts'
import { unpackNode } from './node-binary.ts'
import type { Platform } from './platforms.ts'
import { root } from './run.ts'
import { licensesOf, sbomOf } from './sbom.ts'

export interface Release {
  version: string
  /** Unix seconds of the commit: the time of every file in a package */
  epoch: number
  /** PEM: what the next release must be signed with; null: the agent installs no updates */
  updateKey: string | null
}

const UNITS = ['haltless-agent.service', 'haltless-agent-update.service', 'haltless-agent-update.path']
const debian = (name: string) => path.join(import.meta.dirname, 'debian', name)

/** Writes the program's folder, which both kinds of package contain: bin, app, licenses and list of contents. */
export async function stageProgram(platform: Platform, release: Release, dir: string, workDir: string): Promise<void> {
  const { version, epoch, updateKey } = release
  const [bin, app] = [path.join(dir, 'bin'), path.join(dir, 'app')]
  mkdirSync(bin, { recursive: true })
  const nodeVersion = unpackNode(platform, dir, workDir)
  copyFileSync(path.join(import.meta.dirname, 'haltless-agent.sh'), path.join(bin, 'haltless-agent'))
  const packages = await bundleAgent(platform, version, app)
  writeFileSync(path.join(dir, 'LICENSES.txt'), licensesOf(packages))
  copyFileSync(path.join(root, 'LICENSE'), path.join(dir, 'LICENSE'))
  writeFileSync(
    path.join(dir, 'sbom.cdx.json'),
    sbomOf({ name: 'haltless-agent', version, nodeVersion, architecture: platform.debian, epoch, packages }),
  )
  writeFileSync(path.join(dir, 'platform'), `linux-${platform.debian}\n`)
  if (updateKey !== null) writeFileSync(path.join(dir, 'update-key.pem'), updateKey)
  setModes(dir)
}

const UPDATES = `Updates from the hub are signed, tried, and taken back by themselves when a collector or the hub does not work with them. \`updates\` in
the settings switches them off, or names the hours for them. \`journalctl -u haltless-agent-update\` shows what was done.`
const NO_UPDATES = 'This package has no key of updates: the agent never updates itself, and a person installs each new version.'

/** Adds what Debian has beside the program: unit, command, manual page, documents and examples. */
export function stageSystem({ debian: architecture }: Platform, { version, epoch, updateKey }: Release, dir: string): void {
  const doc = path.join(dir, 'usr/share/doc/haltless-agent')
  const unit = path.join(dir, 'usr/lib/systemd/system')
  const manual = path.join(dir, 'usr/share/man/man1')
  for (const folder of [path.join(doc, 'examples'), unit, manual, path.join(dir, 'usr/bin')])
    mkdirSync(folder, { recursive: true })
  for (const name of UNITS) copyFileSync(debian(name), path.join(unit, name))
  symlinkSync('/opt/haltless-agent/current/bin/haltless-agent', path.join(dir, 'usr/bin/haltless-agent'))
  writeFileSync(path.join(manual, 'haltless-agent.1.gz'), gzipSync(manPage({ version, epoch }), { level: 9 }))
  writeFileSync(
    path.join(doc, 'quick-start.md'),
    filled('quick-start.md', { VERSION: version, ARCH: architecture, UPDATES: updateKey === null ? NO_UPDATES : UPDATES }),
  )
  copyFileSync(path.join(root, 'LICENSE'), path.join(doc, 'copyright'))
  cpSync(path.join(root, 'edge-agent/config'), path.join(doc, 'examples'), { recursive: true })
  const settings = path.join(doc, 'examples/agent.yaml')
  const sample = readFileSync(settings, 'utf8')
  writeFileSync(
    settings,
    sample
      .replace('data_dir: ./data', 'data_dir: /var/lib/haltless-agent')
      .replaceAll('npm run agent -- check --config agent.yaml', 'sudo haltless-agent check')
      .replace('  - file: opcua.yaml\n', ''),
  )
  setModes(dir)
}

/** Writes the control files of a Debian package. @param bytes of the installed files */
export function stageControl({ debian: architecture }: Platform, { version }: Release, dir: string, bytes: number): void {
  mkdirSync(dir, { recursive: true })
  const values = { VERSION: version, ARCH: architecture, SIZE: String(Math.ceil(bytes / 1_024)) }
  for (const name of ['control', 'preinst', 'postinst', 'prerm', 'postrm']) {
    writeFileSync(path.join(dir, name), filled(name, values))
    chmodSync(path.join(dir, name), name === 'control' ? 0o644 : 0o755)
  }
}

const filled = (name: string, values: Record<string, string>): string =>
  readFileSync(debian(name), 'utf8').replace(/@([A-Z]+)@/g, (text, key: string) => values[key] ?? text)

/** Modes must not follow from the umask of the person who packages. */
function setModes(dir: string): void {
  chmodSync(dir, 0o755)
  for (const entry of readdirSync(dir, { withFileTypes: true, recursive: true })) {
    const file = path.join(entry.parentPath, entry.name)
    if (entry.isSymbolicLink()) continue
    chmodSync(file, entry.isDirectory() || path.basename(path.dirname(file)) === 'bin' ? 0o755 : 0o644)
  }
}
