import { mkdir } from 'node:fs/promises'
import { OperatorError } from './errors.ts'

/** Makes the data directory and its parents where they are missing. @throws OperatorError that names DATA_DIR */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o711 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OperatorError(
      `DATA_DIR: ${dataDir} cannot be made (${code}). Set DATA_DIR to a directory that this user may write, or make it and give it to this user.`,
    )
  }
}
