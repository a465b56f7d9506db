import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { Secret } from '@haltless/edge-agent/secret'

/**
 * The SECRET_KEY of a hub that sets none. The first start creates `<dataDir>/secret-key`, which only its owner can read. It is
 * never overwritten, because all encrypted data would be lost. Processes that start together get the same key.
 * @throws when the file contains no key, or when other users can read it
 */
export async function loadOrCreateSecretKey(dataDir: string): Promise<Secret> {
  const file = path.join(dataDir, 'secret-key')
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

async function make(file: string): Promise<Secret> {
  await mkdir(path.dirname(file), { recursive: true })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(`${randomBytes(32).toString('base64url')}\n`)
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

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
