import { createHash, randomBytes } from 'node:crypto'
import { languageOf } from '@haltless/protocol/languages'
import canonicalize from 'canonicalize'
import type { Pools, TransactionSql } from '../../../db/pools.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { DocumentProcess } from '../../../support/document/document-process.ts'
import { signFile } from '../../../support/document/file-signature.ts'
import { AppError, Conflict } from '../../../support/errors.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import type { AttachmentStore } from '../attachments/index.ts'
import {
  currentFileSigner,
  type Files,
  presentNames,
  signedNamesOf,
  signoffKeys,
  type VerifiedRecord,
  verifySignedFiles,
  verifyWorkOrder,
} from '../signoffs/index.ts'
import { buildPayload } from './build-payload.ts'
import type { CertificateContent } from './certificate-document.ts'
import { certificateDocument } from './certificate-document.ts'
import { Drawings } from './drawings.ts'
import { reducePhotos } from './photos.ts'

export interface CertificateDeps {
  pools: Pools
  box: SecretBox
  files: Files
  /** the hub's public address; no slash at the end */
  publicUrl: string
}

const drawings = new Drawings()

/**
 * The certificate of a completed work order as a signed PDF. The same record in the same language, signed with the same key, gives
 * the same bytes.
 * @param request `browserLanguage` is for a reader who has set no language; the first tag of `Accept-Language`. `signal` is aborted when
 * the client leaves
 * @throws NotFound; Conflict `work_order_not_completed`; Unavailable
 */
export async function issueCertificate(
  deps: CertificateDeps,
  scope: TenantScope,
  workOrderId: string,
  { browserLanguage, signal }: { browserLanguage: string | undefined; signal: AbortSignal },
): Promise<Buffer> {
  const { pools, box, files, publicUrl } = deps
  const keys = await signoffKeys(pools.system, box)
  const { found, names, reference } = await scope.tx(async (sql) => {
    const verified = await verifyWorkOrder(sql, scope, workOrderId, keys)
    requireCompleted(verified)
    const last = verified.signoffs.at(-1)
    return {
      found: verified,
      names: (last && signedNamesOf(last)) ?? (await presentNames(sql, scope, verified)),
      reference: await referenceOf(sql, scope, workOrderId),
    }
  })
  const record = await verifySignedFiles(found, files, { signal })
  const payload = buildPayload(record, names, { reference, issuer: publicUrl })
  const language = languageOf((await localeOf(scope)) ?? browserLanguage)
  const json = new TextEncoder().encode(canonicalize(payload) as string)
  const key = await keyOf(language, json, record, files.store)
  const pdf = await drawings.get(key, scope.tenantId, signal, () => draw({ language, payload, json }, record, files.store))
  return signFile(pdf, await currentFileSigner(pools.system, box), reference)
}

function requireCompleted({ workOrder: { status } }: VerifiedRecord): void {
  if (status !== 'completed')
    throw new Conflict(
      'work_order_not_completed',
      `Only a completed work order has a certificate; this one is ${status.replace('_', ' ')}.`,
    )
}

/** The reference of a certificate, made with the first one: 128 random bits, too many to guess. */
async function referenceOf(sql: TransactionSql, { tenantId }: TenantScope, workOrderId: string): Promise<string> {
  const reference = randomBytes(16).toString('base64url')
  await sql`
    insert into certificates (tenant_id, work_order_id, reference) values (${tenantId}, ${workOrderId}, ${reference})
    on conflict do nothing`
  const [row] = await sql<{ reference: string }[]>`
    select reference from certificates where tenant_id = ${tenantId} and work_order_id = ${workOrderId}`
  if (!row) throw new Error('the reference of a certificate was not stored')
  return row.reference
}

/** The language that the reader has set; null without one. */
const localeOf = (scope: TenantScope): Promise<string | null> =>
  scope.read(async (sql) => {
    const [user] = await sql<{ locale: string | null }[]>`
      select locale from users where tenant_id = ${scope.tenantId} and id = ${scope.actor.id}`
    return user?.locale ?? null
  })

/** Identifies what a certificate shows: language, payload, and the stored files of its photos. @throws StorageAway */
async function keyOf(
  language: string,
  json: Uint8Array,
  { attachments }: VerifiedRecord,
  store: AttachmentStore,
): Promise<string> {
  const hash = createHash('sha256').update(`${language}\n`).update(json)
  for (const { contentType, storageKey } of attachments) {
    if (!contentType.startsWith('image/')) continue
    const identity = await store.identify(storageKey).catch((error) => {
      if (error instanceof AppError) throw error
      return null
    })
    hash.update(`\n${identity?.tag} ${identity?.version}`)
  }
  return hash.digest('hex')
}

async function draw(
  content: Omit<CertificateContent, 'photos'>,
  { attachments }: VerifiedRecord,
  store: AttachmentStore,
): Promise<Buffer> {
  const drawing = new DocumentProcess()
  try {
    const photos = await reducePhotos(attachments, store, drawing)
    return Buffer.from(await drawing.ask({ document: certificateDocument({ ...content, photos }) }))
  } finally {
    await drawing.stop()
  }
}
