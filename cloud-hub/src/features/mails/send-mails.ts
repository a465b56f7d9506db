import type { Language } from '@haltless/protocol/languages'
import type { Sql } from '../../db/pools.ts'
import { purge } from '../../db/purge.ts'
import type { Clock } from '../../support/clock.ts'
import { DrawingEnded } from '../../support/document/document-process.ts'
import type { Logger } from '../../support/logger.ts'
import type { Mailer } from '../../support/mail.ts'
import { renderMail } from '../../support/mail-layout.ts'
import type { SecretBox } from '../../support/secrets/secret-box.ts'
import { DRAW_MS, drawPdf } from './draw-pdf.ts'
import { MAILS_CHANNEL, mailEncryptionContext } from './enqueue-mail.ts'
import type { QueuedParams } from './mail-params.ts'
import { isTemplate, mailContentOf, TEMPLATES } from './templates.ts'

export interface MailDeps {
  /** system role: mails of all tenants */
  allTenants: Sql
  listen: Sql
  box: SecretBox
  mailer: Mailer
  clock: Clock
  logger: Logger
}

/** Mails at once; reports, whose documents are drawn one after the other, hold up no other mail. */
const AT_ONCE = { mails: 8, reports: 2 }
type Kind = keyof typeof AT_ONCE
/** Lease of a claimed mail; longer than drawing two reports and the mailer's timeouts. Mails of a dead worker become due again. */
const LEASE_SECONDS = 60 + (AT_ONCE.reports * DRAW_MS) / 1_000
const POLL_MS = 2_000
/** Delays before attempts 2 to 8: about nine hours in all, within the useful life of a link. */
const RETRY_SECONDS = [10, 60, 300, 1_200, 3_600, 9_000, 18_000]

interface ClaimedMail {
  id: string
  tenantId: string
  toEmail: string
  template: string
  locale: Language
  sealedParams: string
  attempts: number
}

/**
 * Sends queued mails, in any number of replicas. After a crash between sending and recording, the mail is sent again under the
 * same Message-ID.
 * @returns stops claiming, and waits for mails in progress
 */
export async function startMailing(deps: MailDeps): Promise<() => Promise<void>> {
  const loops = [sendingLoop(deps, 'mails'), sendingLoop(deps, 'reports')]
  const wake = () => {
    for (const loop of loops) loop.wake()
  }
  const subscription = await deps.listen.listen(MAILS_CHANNEL, wake)
  const timer = setInterval(wake, POLL_MS)
  wake()
  return async () => {
    clearInterval(timer)
    const ended = loops.map((loop) => loop.stop())
    await subscription.unlisten().catch(() => {})
    await Promise.all(ended)
  }
}

/** Sends the due mails of a kind when it is woken, some at once. */
function sendingLoop(deps: MailDeps, kind: Kind): { wake(): void; stop(): Promise<void> } {
  let stopped = false
  let again = false
  let polling: Promise<void> | undefined

  async function poll(): Promise<void> {
    do {
      again = false
      const claimed = await claim(deps, kind)
      await Promise.all(claimed.map((mail) => attempt(deps, mail)))
      if (claimed.length > 0) again = true
    } while (again && !stopped)
  }
  return {
    wake() {
      again = true
      if (stopped) return
      polling ??= poll()
        .catch((error) => deps.logger.warn({ err: error }, 'the due mails could not be claimed'))
        .finally(() => {
          polling = undefined
        })
    },
    async stop() {
      stopped = true
      await polling
    },
  }
}

async function claim({ allTenants, clock }: MailDeps, kind: Kind): Promise<ClaimedMail[]> {
  const now = clock.now()
  return allTenants<ClaimedMail[]>`
    update mails m set attempts = m.attempts + 1, due_at = ${new Date(now.getTime() + LEASE_SECONDS * 1000)}
    from (select tenant_id, id from mails where status = 'waiting' and due_at <= ${now} and (template = 'report') = ${kind === 'reports'}
          and template = any(${TEMPLATES})
        order by due_at limit ${AT_ONCE[kind]} for update skip locked) d
    where m.tenant_id = d.tenant_id and m.id = d.id
    returning m.id, m.tenant_id as "tenantId", m.to_email as "toEmail", m.template, m.locale, m.sealed_params as "sealedParams", m.attempts`
}

async function attempt({ allTenants, box, mailer, clock, logger }: MailDeps, mail: ClaimedMail): Promise<void> {
  let outcome: { status: 'sent' | 'refused' | 'waiting'; error: string | null; delay: number }
  try {
    if (!isTemplate(mail.template)) throw new Error(`there is no template ${mail.template}`)
    const params = {
      timeZone: 'UTC',
      ...JSON.parse(box.open(mail.sealedParams, mailEncryptionContext(mail.tenantId, mail.id))),
    } as QueuedParams<typeof mail.template>
    const content = mailContentOf(mail.template, mail.locale, params)
    const attachments = content.pdf
      ? [{ filename: content.pdf.name, content: await drawPdf(content, mail.locale), contentType: 'application/pdf' }]
      : []
    const sent = await mailer.send({ to: mail.toEmail, messageId: mail.id, attachments, ...renderMail(content, mail.locale) })
    const delay = RETRY_SECONDS[mail.attempts - 1]
    if (sent.ok) outcome = { status: 'sent', error: null, delay: 0 }
    else if (sent.isPermanent || delay === undefined) outcome = { status: 'refused', error: sent.fault.detail, delay: 0 }
    else outcome = { status: 'waiting', error: sent.fault.detail, delay }
  } catch (error) {
    logger.error({ err: error, mail_id: mail.id }, 'a mail could not be created')
    const delay = RETRY_SECONDS[mail.attempts - 1]
    const mayTryAgain = error instanceof DrawingEnded && delay !== undefined
    outcome = { status: mayTryAgain ? 'waiting' : 'refused', error: 'the mail could not be created', delay: delay ?? 0 }
  }
  if (outcome.status === 'refused')
    logger.warn(
      { mail_id: mail.id, template: mail.template, reason: outcome.error },
      'a mail was refused or has no attempts left',
    )
  const { status, error, delay } = outcome
  // A sent mail keeps no link. The attempt count guards against another worker that claimed the mail after the lease ended.
  await allTenants`update mails set status = ${status}, error = ${error}, due_at = ${new Date(clock.now().getTime() + delay * 1000)},
      sealed_params = case when ${status} = 'waiting' then sealed_params else '' end
    where tenant_id = ${mail.tenantId} and id = ${mail.id} and attempts = ${mail.attempts}`.catch((failed) =>
    logger.error({ err: failed, mail_id: mail.id }, 'the result of a mail could not be recorded; it will be sent again'),
  )
}

/** Deletes mails 30 days after their creation. */
export async function purgeMails(allTenants: Sql, now: Date): Promise<void> {
  await purge(allTenants, { table: 'mails', column: 'created_at', before: new Date(now.getTime() - 30 * 86_400_000) })
}
