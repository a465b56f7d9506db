import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { ReleaseRefused } from '@haltless/protocol'
import edgeAgent from '../../edge-agent/package.json' with { type: 'json' }
import { readPublicKey } from '../../edge-agent/src/updates/signature.ts'
import { tarOf, writeDeb, xz, zstd } from './archive.ts'
import { PLATFORMS, type Platform } from './platforms.ts'
import { PackagingError, run } from './run.ts'
import { SIGNING, textOf } from './sign.ts'
import { type Release, stageControl, stageProgram, stageSystem } from './stage.ts'

/**
 * `npm run package:agent -- --update-key FILE.pub [--arch amd64,arm64] [--out dist] [--fast]`: writes for each platform a Debian package
 * and an archive, and SHA256SUMS. Two runs of one commit write the same bytes. --no-updates builds agents that install no updates.
 * --fast compresses less, and --as-version names another version: for tests. The other commands, which need no network, are in sign.ts:
 * `-- keygen`, `-- sign`, `-- endorse`.
 */
const OPTIONS = {
  arch: { type: 'string', default: 'amd64' },
  out: { type: 'string', default: 'dist' },
  'update-key': { type: 'string' },
  'no-updates': { type: 'boolean' },
  fast: { type: 'boolean' },
  'as-version': { type: 'string' },
  help: { type: 'boolean' },
} as const

type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

const MAX_BYTES = 40 * 2 ** 20
/** Higher levels take 30 s of CPU and more for each MiB less; the commit that chose these has the table. */
const XZ_LEVEL = 5
const ZSTD_LEVEL = 12

function platformsOf(names: string): Platform[] {
  return names.split(',').map((name) => {
    const platform = PLATFORMS.find(({ debian }) => debian === name)
    if (!platform)
      throw new PackagingError(`There is no platform ${name}. Platforms: ${PLATFORMS.map(({ debian }) => debian).join(', ')}.`)
    return platform
  })
}

/** The time of the commit; outside of a repository SOURCE_DATE_EPOCH says it. */
function epochOf(): number {
  const given = Number(process.env.SOURCE_DATE_EPOCH)
  return given > 0 ? given : Number(run('git', ['log', '-1', '--format=%ct']).toString())
}

const bytesIn = (dir: string): number =>
  readdirSync(dir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0)

async function packageFor(platform: Platform, release: Release, workDir: string, out: string, fast: boolean): Promise<string[]> {
  const name = `haltless-agent-${release.version}-linux-${platform.debian}`
  const [system, control] = [path.join(workDir, 'system'), path.join(workDir, 'control')]
  const program = path.join(system, 'opt/haltless-agent/package')
  await stageProgram(platform, release, program, workDir)
  const archive = path.join(out, `${name}.tar.zst`)
  tarOf(program, path.join(workDir, 'archive.tar'), release.epoch, { prefix: name })
  await zstd(path.join(workDir, 'archive.tar'), archive, fast ? 1 : ZSTD_LEVEL)

  stageSystem(platform, release, system)
  stageControl(platform, release, control, bytesIn(system))
  tarOf(system, path.join(workDir, 'data.tar'), release.epoch)
  tarOf(control, path.join(workDir, 'control.tar'), release.epoch)
  const level = fast ? 0 : XZ_LEVEL
  const deb = path.join(out, `haltless-agent_${release.version}_${platform.debian}.deb`)
  const members = { control: xz(path.join(workDir, 'control.tar'), level), data: xz(path.join(workDir, 'data.tar'), level) }
  writeDeb(deb, members, release.epoch)
  return [deb, archive]
}

const NEVER_UPDATED = 'a box with this package never updates itself, and a person installs each new version on it'

/** The public key that the next release must be signed with, as PEM; null: updates are off. @throws PackagingError without a decision */
function updateKeyOf({ 'update-key': file, 'no-updates': isWithout }: Options): string | null {
  if (file !== undefined && isWithout) throw new PackagingError('--update-key and --no-updates contradict each other.')
  if (isWithout) return null
  if (file === undefined)
    throw new PackagingError(
      `Name the key of updates: --update-key FILE.pub (keygen --out FILE makes one), or --no-updates: then ${NEVER_UPDATED}.`,
    )
  const text = textOf(file)
  if (text.includes('PRIVATE KEY'))
    throw new PackagingError(`${file} is the private key of releases: keep it offline, and give the public one (${file}.pub).`)
  const key = readPublicKey(text)
  return key.export({ type: 'spki', format: 'pem' }).toString()
}

async function build(options: Options): Promise<void> {
  const platforms = platformsOf(options.arch)
  const updateKey = updateKeyOf(options)
  if (updateKey === null) process.stdout.write(`Without updates: ${NEVER_UPDATED}.\n`)
  const out = path.resolve(options.out)
  mkdirSync(out, { recursive: true })
  const version = options['as-version'] ?? edgeAgent.version
  const release = { version, epoch: epochOf(), updateKey }
  const files: string[] = []
  for (const platform of platforms) {
    process.stdout.write(`haltless-agent ${release.version} for ${platform.debian} ... `)
    const workDir = mkdtempSync(path.join(os.tmpdir(), 'haltless-package-'))
    try {
      files.push(...(await packageFor(platform, release, workDir, out, Boolean(options.fast))))
    } finally {
      rmSync(workDir, { recursive: true, force: true })
    }
    process.stdout.write('done\n')
  }
  const lines = files.map((file) => `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${path.basename(file)}\n`)
  writeFileSync(path.join(out, '.SHA256SUMS'), lines.join(''))
  renameSync(path.join(out, '.SHA256SUMS'), path.join(out, 'SHA256SUMS'))
  for (const file of files) {
    const { size } = statSync(file)
    process.stdout.write(`${(size / 2 ** 20).toFixed(1).padStart(6)} MiB  ${path.relative('.', file)}\n`)
    if (size > MAX_BYTES && !options.fast) throw new PackagingError(`${path.basename(file)} is larger than 40 MiB.`)
  }
}

const signingUsages = Object.entries(SIGNING).map(([name, { usage }]) => `       npm run package:agent -- ${name} ${usage}\n`)
const USAGE = `Usage: npm run package:agent -- --update-key FILE.pub [--arch amd64,arm64] [--out dist] [--as-version VERSION] [--fast]
       npm run package:agent -- --no-updates [...]
${signingUsages.join('')}Without a command it writes a Debian package and an archive for each platform (default: amd64), and SHA256SUMS.
Agents of the package install releases that are signed with the private key of --update-key. With --no-updates
${NEVER_UPDATED}.
`
const print = (text: string): void => void process.stdout.write(text)

async function main([command, ...rest]: string[]): Promise<void> {
  const signing = command === undefined ? undefined : SIGNING[command]
  if (signing && rest.includes('--help')) return print(`Usage: npm run package:agent -- ${command} ${signing.usage}\n`)
  if (signing) return signing.run(rest, { version: edgeAgent.version, epoch: epochOf() })
  const { values } = parseArgs({ options: OPTIONS })
  await (values.help ? print(USAGE) : build(values))
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const isExpected =
    error instanceof PackagingError ||
    error instanceof ReleaseRefused ||
    (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  if (!isExpected || !(error instanceof Error)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
