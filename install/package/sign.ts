import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type ReleaseFile, ReleaseVersion, readRelease, type SignedRelease } from '@haltless/protocol'
import { endorseKey, keyFingerprint, readPublicKey, signRelease } from '../../edge-agent/src/updates/signature.ts'
import { ArchiveRefused } from '../../edge-agent/src/updates/tar-reader.ts'
import { unpack } from '../../edge-agent/src/updates/unpack.ts'
import { PackagingError } from './run.ts'

const say = (text: string) => process.stdout.write(`${text}\n`)
/** What a command takes from the commit. */
interface Defaults {
  version: string
  epoch: number
}

const DAY_MS = 86_400_000

/** `keygen --out FILE`: writes a private key, and its public key beside it as FILE.pub. An existing file is never replaced. */
export function keygen(args: string[]): void {
  const { values } = parseArgs({ args, options: { out: { type: 'string' } } })
  const file = required(values.out, '--out FILE')
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  writeNew(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 0o600)
  writeNew(`${file}.pub`, publicKey.export({ type: 'spki', format: 'pem' }).toString(), 0o644)
  say(`Key ${keyFingerprint(publicKey)}`)
  say(`  ${file}      private: keep it offline, with a copy; whoever has it can change the program of every agent`)
  say(`  ${file}.pub  public: npm run package:agent -- --update-key ${file}.pub`)
}

/** `endorse --key FILE --next FILE.pub --keys FILE`: appends the next key, signed with the present one, to the file of newer keys. */
export function endorse(args: string[]): void {
  const options = { key: { type: 'string' }, next: { type: 'string' }, keys: { type: 'string' } } as const
  const { values } = parseArgs({ args, options })
  const present = privateKeyOf(required(values.key, '--key FILE'))
  const next = readPublicKey(textOf(required(values.next, '--next FILE.pub')))
  const file = required(values.keys, '--keys FILE')
  const known = existsSync(file) ? keysOf(file) : []
  writeFileSync(file, `${JSON.stringify([...known, endorseKey(next, present)], null, 2)}\n`)
  say(`Key ${keyFingerprint(next)} follows ${keyFingerprint(createPublicKey(present))}: sign releases with --keys ${file}`)
}

/**
 * `sign --key FILE`: signs the archives of one version in a folder, offline, after unpacking each as an agent does. Writes
 * haltless-agent-VERSION.release.json beside them.
 * @param defaults of the commit: its version, and its time as the sequence number
 */
export async function sign(args: string[], defaults: Defaults): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      key: { type: 'string' },
      keys: { type: 'string' },
      dir: { type: 'string', default: 'dist' },
      'as-version': { type: 'string', default: defaults.version },
      sequence: { type: 'string', default: String(defaults.epoch) },
      'min-version': { type: 'string', default: '0.1.0' },
      'valid-days': { type: 'string', default: '365' },
    },
  })
  const key = privateKeyOf(required(values.key, '--key FILE'))
  const version = versionOf(values['as-version'], '--as-version')
  const files = archivesOf(values.dir, version)
  for (const { name, platform } of files) await requireUsable(path.join(values.dir, name), platform)
  const now = Date.now()
  const days = wholeNumber(values['valid-days'], '--valid-days', 3_650)
  const release = signRelease(
    {
      format: 1,
      version,
      sequence: wholeNumber(values.sequence, '--sequence', Number.MAX_SAFE_INTEGER),
      min_source_version: versionOf(values['min-version'], '--min-version'),
      issued_at: new Date(now).toISOString(),
      expires_at: new Date(now + days * DAY_MS).toISOString(),
      files,
    },
    key,
    values.keys === undefined ? [] : keysOf(values.keys),
  )
  const file = path.join(values.dir, `haltless-agent-${version}.release.json`)
  writeFileSync(file, `${JSON.stringify(release, null, 2)}\n`)
  const { manifest } = readRelease(release)
  say(`Version ${version}, sequence ${manifest.sequence}, signed with key ${keyFingerprint(createPublicKey(key))}`)
  say(`From ${manifest.min_source_version} on, until ${manifest.expires_at.slice(0, 10)}`)
  for (const { platform, name, size } of files)
    say(`  ${platform.padEnd(12)} ${(size / 2 ** 20).toFixed(1).padStart(6)} MiB  ${name}`)
  say(`On the hub: npm run hub -- releases add ${file}`)
}

interface SigningCommand {
  usage: string
  run: (args: string[], defaults: Defaults) => void | Promise<void>
}

/** The commands for signed releases, as `npm run package:agent -- NAME` runs them. */
export const SIGNING: Record<string, SigningCommand> = {
  keygen: { usage: '--out FILE', run: keygen },
  endorse: { usage: '--key FILE --next FILE.pub --keys FILE', run: endorse },
  sign: {
    usage: '--key FILE [--keys FILE] [--dir dist] [--as-version VERSION] [--sequence N] [--min-version VERSION] [--valid-days N]',
    run: sign,
  },
}

function archivesOf(dir: string, version: string): ReleaseFile[] {
  const prefix = `haltless-agent-${version}-`
  const names = existsSync(dir) ? readdirSync(dir).filter((name) => name.startsWith(prefix) && name.endsWith('.tar.zst')) : []
  if (names.length === 0)
    throw new PackagingError(
      `There is no archive of version ${version} in ${dir}. Build it: npm run package:agent -- --update-key FILE.pub --arch amd64,arm64`,
    )
  return names.toSorted().map((name) => {
    const file = path.join(dir, name)
    const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
    return { platform: name.slice(prefix.length, -'.tar.zst'.length), name, size: statSync(file).size, sha256 }
  })
}

/** Signs nothing that every agent would refuse. */
async function requireUsable(archive: string, platform: string): Promise<void> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'haltless-sign-'))
  const fileOf = (name: string) => {
    const file = path.join(dir, 'program', name)
    return existsSync(file) ? readFileSync(file, 'utf8') : null
  }
  try {
    await unpack(archive, path.join(dir, 'program'), dir)
    const name = path.basename(archive)
    const key = fileOf('update-key.pem')
    if (key === null) throw new PackagingError(`${name} has no key for the release after it. Build it with --update-key FILE.pub`)
    readPublicKey(key)
    if (fileOf('platform')?.trim() !== platform) throw new PackagingError(`${name} holds no program for ${platform}.`)
    if (!existsSync(path.join(dir, 'program/app/lib/agent.mjs'))) throw new PackagingError(`${name} holds no agent.`)
  } catch (error) {
    if (error instanceof ArchiveRefused) throw new PackagingError(`${archive} cannot be installed: ${error.message}`)
    throw error
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const required = (value: string | undefined, option: string): string => {
  if (value === undefined) throw new PackagingError(`${option} is missing.`)
  return value
}

/** @throws PackagingError that names the file */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new PackagingError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

function writeNew(file: string, text: string, mode: number): void {
  try {
    writeFileSync(file, text, { mode, flag: 'wx' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new PackagingError(code === 'EEXIST' ? `${file} exists; a key is never replaced.` : message)
  }
}

function privateKeyOf(file: string): KeyObject {
  try {
    return createPrivateKey(textOf(file))
  } catch (error) {
    if (error instanceof PackagingError) throw error
    throw new PackagingError(`${file} holds no private key in PEM. Make one: npm run package:agent -- keygen --out FILE`)
  }
}

function keysOf(file: string): SignedRelease['keys'] {
  try {
    const keys: unknown = JSON.parse(textOf(file))
    if (Array.isArray(keys)) return keys as SignedRelease['keys']
  } catch (error) {
    if (error instanceof PackagingError) throw error
  }
  throw new PackagingError(`${file} is no file of keys, as endorse writes it.`)
}

function versionOf(text: string, option: string): string {
  if (!ReleaseVersion.safeParse(text).success) throw new PackagingError(`${option} must be a version such as 1.2.3.`)
  return text
}

function wholeNumber(text: string, option: string, max: number): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1 || value > max)
    throw new PackagingError(`${option} must be a whole number from 1 to ${max}.`)
  return value
}
