import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type HubConfig, loadConfig } from '../config.ts'
import { reconcileFiles } from '../db/backup/index.ts'
import { asOwner } from '../db/owner.ts'
import { openStore } from '../features/work/attachments/index.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import { withOwner } from './open-hub.ts'
import { describeReconciled } from './reconciled.ts'

const CHECK = 'attachments'

/** Whether the hub can store the files of attachments, and read and delete them. */
export const checkAttachments = (config: HubConfig): Promise<Finding> =>
  config.attachments.store.kind === 'directory'
    ? checkDirectory(config, config.attachments.store.folder)
    : checkBucket(config, config.attachments.store.endpoint ?? 'AWS')

async function checkDirectory(config: HubConfig, folder: string): Promise<Finding> {
  const isShared = config.databaseUrl !== undefined || config.databaseLogins !== undefined
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    const { bavail, bsize } = await statfs(folder)
    const free = `${folder}, ${((bavail * bsize) / 1024 ** 3).toFixed(1)} GiB free`
    return ok(CHECK, isShared ? `${free}; other hubs of this database must use the same directory` : free)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT'
      ? ok(CHECK, `${folder}; the first attachment creates it`)
      : fail(CHECK, `${folder} is not accessible (${code}): change its owner to the user that runs the hub`)
  }
}

/** Stores an object, reads it and deletes it. */
async function checkBucket({ attachments }: HubConfig, endpoint: string): Promise<Finding> {
  const store = await openStore(attachments.store)
  const folder = await mkdtemp(path.join(tmpdir(), 'haltless-doctor-'))
  const [key, file, text] = [`doctor/${randomUUID()}`, path.join(folder, 'probe'), 'written by doctor']
  try {
    await writeFile(file, text)
    await store.put(key, { path: file, size: text.length })
    const read = await buffer(await store.read(key)).finally(() => store.remove(key))
    return read.toString() === text
      ? ok(CHECK, `${store.name} at ${endpoint} stores, answers and deletes objects`)
      : warn(CHECK, `${store.name} at ${endpoint} does not answer the bytes that were stored`)
  } catch (error) {
    const why = (error as Error & { cause?: Error }).cause?.message ?? (error as Error).message
    return fail(CHECK, `${store.name} at ${endpoint}: ${why}; check S3_ENDPOINT, the bucket, the key and its rights`)
  } finally {
    store.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Compares every file with its row, and prints what is missing, damaged or left over. Changes nothing. */
export async function compareAttachments(json: boolean): Promise<void> {
  const config = loadConfig(process.env)
  const store = await openStore(config.attachments.store)
  try {
    const found = await withOwner(config, (url) => asOwner(url, 'doctor', (owner) => reconcileFiles(owner, store)))
    if (json) console.log(JSON.stringify(found, null, 2))
    else describeReconciled(found)
    if (found.faulty.length > 0) process.exitCode = 1
  } finally {
    store.close()
  }
}
