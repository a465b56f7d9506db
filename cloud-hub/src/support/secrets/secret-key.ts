import { randomBytes } from 'node:crypto'
import { copyFile, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { Secret } from '@haltless/edge-agent/secret'
import { fingerprintOf } from './derive.ts'
import { keyMark, type SecretKeys } from './secret-box.ts'

/** What the settings say of the keys. */
export interface SecretKeySettings {
  dataDir: string
  /** undefined: the hub generates its key */
  secretKey: Secret | undefined
  secretKeyNext: Secret | undefined
}

const ownFile = (dataDir: string) => path.join(dataDir, 'secret-key')
const nextFile = (dataDir: string) => path.join(dataDir, 'secret-key.next')
/** A key that was the hub's, by its mark. No key is ever deleted: backups, archives and databases that were kept may need it. */
const formerFile = (dataDir: string, key: Secret) => path.join(dataDir, `secret-key.${keyMark(key)}`)
const FORMER = /^secret-key\.[0-9a-f]{8}$/

/**
 * The keys that a hub holds: those of the settings, or its generated ones: its own, that of a rotation, then its former ones. The database says
 * which of them it belongs to.
 * @throws when the file of a generated key contains none, or when other users can read it
 */
export async function loadSecretKeys({ dataDir, secretKey, secretKeyNext }: SecretKeySettings): Promise<SecretKeys> {
  if (secretKey) return unique([secretKey, ...(secretKeyNext ? [secretKeyNext] : [])])
  return unique([await loadOrCreateSecretKey(dataDir), ...(await generatedSecretKeys(dataDir))])
}

/** The keys that this hub has generated, as far as it has any, in the order of `loadSecretKeys`. Makes none. */
export async function generatedSecretKeys(dataDir: string): Promise<Secret[]> {
  const names = await readdir(dataDir).catch(() => [])
  const former = names.filter((name) => FORMER.test(name)).map((name) => path.join(dataDir, name))
  const keys = await Promise.all([ownFile(dataDir), nextFile(dataDir), ...former].map(load))
  return keys.flatMap((key) => key ?? [])
}

const unique = (keys: readonly [Secret, ...Secret[]]): SecretKeys => {
  const [first, ...others] = keys
  const isNew = (key: Secret, at: number) => keys.findIndex((other) => other.reveal() === key.reveal()) === at + 1
  return [first, ...others.filter(isNew)]
}

/** The next key of a hub whose key is generated, or null. */
export const nextSecretKey = (dataDir: string): Promise<Secret | null> => load(nextFile(dataDir))

/** Generates the next key of a hub whose key is generated, unless it has one. */
export async function makeNextSecretKey(dataDir: string): Promise<Secret> {
  const file = nextFile(dataDir)
  return (await load(file)) ?? (await make(file))
}

/** Keeps a key, such as that of a base backup, among the former ones: a start finds it there when the database belongs to it. */
export const keepSecretKey = async (dataDir: string, key: Secret): Promise<void> => {
  await make(formerFile(dataDir, key), key.reveal())
}

/**
 * Makes the key with this fingerprint, of those that `generatedSecretKeys` finds, the hub's own. The key before is kept. Interrupted at any step,
 * all keys are still there.
 */
export async function adoptSecretKey(dataDir: string, fingerprint: string): Promise<void> {
  const own = await load(ownFile(dataDir))
  if (own && fingerprintOf(own) === fingerprint) return dropNextSecretKey(dataDir, fingerprint)
  const key = (await generatedSecretKeys(dataDir)).find((one) => fingerprintOf(one) === fingerprint)
  if (!key) return
  await keepSecretKey(dataDir, key)
  if (own) await keepSecretKey(dataDir, own)
  await copyFile(formerFile(dataDir, key), `${ownFile(dataDir)}.draft`)
  await syncFile(`${ownFile(dataDir)}.draft`)
  await rename(`${ownFile(dataDir)}.draft`, ownFile(dataDir))
  await syncFolder(dataDir)
  await dropNextSecretKey(dataDir, fingerprint)
}

/** Removes `secret-key.next` where that is the hub's own key by now. One that a rotation has not come to yet stays. */
async function dropNextSecretKey(dataDir: string, fingerprint: string): Promise<void> {
  const next = await load(nextFile(dataDir))
  if (next && fingerprintOf(next) === fingerprint) await rm(nextFile(dataDir))
}

/** After a rotation of generated keys was undone: the next key is kept among the former ones, in case that something still needs it. */
export async function setNextSecretKeyAside(dataDir: string): Promise<void> {
  const next = await load(nextFile(dataDir))
  if (!next) return
  await keepSecretKey(dataDir, next)
  await rm(nextFile(dataDir))
}

/** Installs the keys of a backup: the hub's own and, where the backup was made during a rotation, the next one. Keys before are kept. */
export async function writeSecretKeys(dataDir: string, [key, next]: SecretKeys): Promise<void> {
  await setNextSecretKeyAside(dataDir)
  if (next) await make(nextFile(dataDir), next.reveal())
  await keepSecretKey(dataDir, key)
  await adoptSecretKey(dataDir, fingerprintOf(key))
}

/**
 * The SECRET_KEY of a hub that sets none. The first start creates `<dataDir>/secret-key`, which only its owner can read. It is
 * never overwritten, because all encrypted data would be lost. Processes that start together get the same key.
 * @throws when the file contains no key, or when other users can read it
 */
export async function loadOrCreateSecretKey(dataDir: string): Promise<Secret> {
  const file = ownFile(dataDir)
  return (await load(file)) ?? (await make(file))
}

async function load(file: string): Promise<Secret | null> {
  let text: string
  try {
    text = (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const { mode } = await stat(file)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new Error(`${file} can be read by other users of this machine. Allow its owner only: chmod 600 ${file}`)
  }
  if (text.length < 32)
    throw new Error(`${file} contains no key. Restore it from a backup; without it stored secrets cannot be decrypted.`)
  return new Secret(text)
}

async function make(file: string, text = randomBytes(32).toString('base64url')): Promise<Secret> {
  await mkdir(path.dirname(file), { recursive: true })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(`${text}\n`)
      // The key is on disk before the file gets its name: a power failure must not lose a key in use.
      await handle.sync()
    } finally {
      await handle.close()
    }
    // Unlike rename, link never replaces a file.
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  await syncFolder(path.dirname(file))
  return (await load(file)) as Secret
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
