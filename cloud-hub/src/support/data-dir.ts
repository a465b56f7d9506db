import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { OperatorError } from './errors.ts'

const isMissing = (at: string) =>
  stat(at).then(
    () => false,
    (error) => {
      if (error.code === 'ENOENT') return true
      throw error
    },
  )

/** Makes each missing directory by itself: Node's recursive mkdir never returns below a file system such as /proc. */
async function makeEach(directory: string): Promise<void> {
  const missing: string[] = []
  for (let at = directory; await isMissing(at); at = path.dirname(at)) missing.unshift(at)
  for (const at of missing)
    await mkdir(at, { mode: 0o711 }).catch((error) => {
      if (error.code !== 'EEXIST') throw error
    })
  if (!(await stat(directory)).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' })
}

/** Makes the data directory and its parents where they are missing. @throws OperatorError that names DATA_DIR */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await makeEach(path.resolve(dataDir))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(
      `DATA_DIR: ${dataDir} cannot be made (${code}). Set DATA_DIR to a directory that this user may write, or make it and give it to this user.`,
    )
  }
}
