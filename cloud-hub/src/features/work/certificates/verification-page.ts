import type { Language } from '@haltless/protocol'
import type { Context, Hono } from 'hono'
import { transientDbError } from '../../../db/errors.ts'
import type { Pools } from '../../../db/pools.ts'
import { Unavailable } from '../../../support/errors.ts'
import type { Env } from '../../../support/http/http-app.ts'
import { PAGE_POLICY, type Page, renderPage } from '../../../support/http/page.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import {
  type Files,
  instantText,
  signedNamesOf,
  signoffKeys,
  type VerifiedRecord,
  verifySignedFiles,
  verifyWorkOrder,
} from '../signoffs/index.ts'
import { signoffReason } from './signoff-reasons.ts'
import { type VerificationTexts, verificationTexts } from './verification-texts.ts'

export interface VerificationPageDeps {
  files: Files
  pools: Pools
  box: SecretBox
  /** whether this network address may open another page; the limit of the API's reads */
  mayRead(ip: string): Promise<boolean>
}

type Status = 200 | 404 | 429 | 503
const REFERENCE = /^[\w-]{22}$/

/**
 * `/verify/{reference}`: what the hub has on record for a certificate, for anybody who has it. It shows less than the certificate does,
 * and nothing of a work order whose certificate was never issued.
 */
export function mountVerificationPage(app: Hono<Env>, deps: VerificationPageDeps): void {
  const show = (c: Context<Env>, page: Omit<Page, 'language'>, status: Status = 200, headers: Record<string, string> = {}) => {
    const { language } = verificationTexts(c.req.header('accept-language'))
    return c.html(renderPage({ language, ...page }), status, {
      'content-security-policy': PAGE_POLICY,
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
      ...headers,
    })
  }
  app.get('/verify/:reference', async (c) => {
    c.set('pattern', '/verify/{reference}')
    const { language, texts } = verificationTexts(c.req.header('accept-language'))
    if (!(await deps.mayRead(c.get('ip'))))
      return show(c, { title: texts.title, fault: texts.tooMany }, 429, { 'retry-after': '60' })
    try {
      const found = await findRecord(deps, c.req.param('reference'))
      const record = found && (await verifySignedFiles(found, deps.files, { isStranger: true, signal: c.req.raw.signal }))
      return record ? show(c, pageOf(record, texts, language)) : show(c, { title: texts.title, fault: texts.unknown }, 404)
    } catch (error) {
      if (!(error instanceof Unavailable || transientDbError(error))) throw error
      return show(c, { title: texts.title, fault: texts.away }, 503, { 'retry-after': '10' })
    }
  })
}

async function findRecord({ pools, box }: VerificationPageDeps, reference: string): Promise<VerifiedRecord | null> {
  if (!REFERENCE.test(reference)) return null
  const allTenants = pools.system
  const [certificate] = await allTenants<{ tenantId: string; workOrderId: string }[]>`
    select tenant_id as "tenantId", work_order_id as "workOrderId" from certificates where reference = ${reference}`
  if (!certificate) return null
  const { tenantId, workOrderId } = certificate
  const keys = await signoffKeys(pools.system, box)
  return (await pools.system.begin('read only', (sql) => verifyWorkOrder(sql, { tenantId }, workOrderId, keys))) as VerifiedRecord
}

/** `2026-11-22 18:04:05 UTC` */
const when = (at: Date) => instantText(at).replace(/T(.{8}).*/, ' $1 UTC')

function pageOf({ workOrder, signoffs }: VerifiedRecord, texts: VerificationTexts, language: Language): Omit<Page, 'language'> {
  const last = signoffs.at(-1)
  const names = last && signedNamesOf(last)
  const invalid = signoffs.filter(({ isValid }) => !isValid).length
  const facts: [string, string][] = [
    [texts.workOrder, workOrder.title],
    ...(names ? [[texts.organisation, names.customer] satisfies [string, string]] : []),
    ...(names ? [[texts.machine, names.machine.name] satisfies [string, string]] : []),
    ...(workOrder.completedAt ? [[texts.completed, when(workOrder.completedAt)] satisfies [string, string]] : []),
    ...signoffs.map((row): [string, string] => [
      `${texts.signature} ${row.number}: ${row.isValid ? texts.valid : texts.notValid}`,
      [
        `${row.signerName} (${row.signerRole}), ${when(row.signedAt)}`,
        ...(row.isValid ? [] : [signoffReason(row.fault, language)]),
      ].join('\n'),
    ]),
  ]
  const title = texts.title
  if (workOrder.status !== 'completed') return { title, fault: texts.reopened }
  if (signoffs.length === 0) return { title, paragraphs: [texts.unsigned], facts }
  return invalid === 0 ? { title, done: texts.allValid, facts } : { title, fault: texts.someInvalid, facts }
}
