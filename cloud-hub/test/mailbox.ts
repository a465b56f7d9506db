import { mailEncryptionContext } from '../src/features/mails/enqueue-mail.ts'
import type { MailTemplate } from '../src/features/mails/mail-params.ts'
import { mailContentOf } from '../src/features/mails/templates.ts'
import { type MailContent, renderMail } from '../src/support/mail-layout.ts'
import type { TestHub } from './harness.ts'

export interface QueuedMail extends MailContent {
  template: MailTemplate
  locale: 'en' | 'de'
  text: string
  html: string
  /** the one-time token of the link */
  token: string
}

/** What waits to be mailed to an address, oldest first, as its reader will see it. */
export async function mailsTo(hub: TestHub, email: string): Promise<QueuedMail[]> {
  const rows = await hub.owner<
    { id: string; tenantId: string; template: MailTemplate; locale: 'en' | 'de'; sealed: string }[]
  >`select id, tenant_id as "tenantId", template, locale, sealed_params as sealed from mails where to_email = ${email} order by created_at, id`
  return rows.map((row) => {
    const content = mailContentOf(
      row.template,
      row.locale,
      JSON.parse(hub.deps.box.open(row.sealed, mailEncryptionContext(row.tenantId, row.id))),
    )
    const token = /token=([\w-]+)/.exec(content.button?.url ?? '')?.[1] ?? ''
    return { ...content, ...renderMail(content, row.locale), template: row.template, locale: row.locale, token }
  })
}

/** The newest of them. */
export async function lastMailTo(hub: TestHub, email: string): Promise<QueuedMail> {
  const mail = (await mailsTo(hub, email)).at(-1)
  if (!mail) throw new Error(`no mail waits for ${email}`)
  return mail
}
