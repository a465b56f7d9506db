import { closeSync, existsSync, fstatSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { SignedRelease } from '@haltless/protocol'
import { z } from 'zod'
import { writeDurably } from '../support/durable-file.ts'
import { openForeign } from './unpack.ts'

/** What the agent hands over to the updater, beside the archive. */
const Request = z.strictObject({
  /** of this attempt */
  id: z.string().min(1).max(100),
  release: SignedRelease,
})
export type UpdateRequest = z.infer<typeof Request>

const REQUEST_BYTES_MAX = 65_536
const FILE = 'request.json'

/** The folder where the agent hands updates over. */
export const incomingFolder = (dataDir: string): string => path.join(dataDir, 'incoming')

/** @throws Error of the file system */
export const writeRequest = (incoming: string, request: UpdateRequest): void =>
  writeDurably(path.join(incoming, FILE), JSON.stringify(request))

export const removeRequest = (incoming: string): void => rmSync(path.join(incoming, FILE), { force: true })

/** For the updater, which trusts nothing in this folder. @returns null when there is no request that can be read */
export function readRequest(incoming: string): UpdateRequest | null {
  const file = path.join(incoming, FILE)
  if (!existsSync(file)) return null
  try {
    const opened = openForeign(file)
    try {
      return fstatSync(opened).size > REQUEST_BYTES_MAX ? null : Request.parse(JSON.parse(readFileSync(opened, 'utf8')))
    } finally {
      closeSync(opened)
    }
  } catch {
    return null
  }
}
