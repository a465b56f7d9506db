import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Secret } from '@haltless/edge-agent/secret'
import { type Fault, fault } from '@haltless/protocol/faults'
import type { Clock } from './clock.ts'
import type { Logger } from './logger.ts'
import { TimeoutError, withTimeout } from './timeout.ts'
import { Turns } from './turns.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
  /** stays the same over retries, so that clients show a mail sent twice once */
  messageId?: string
  attachments?: { filename: string; content: Buffer; contentType: string }[]
}

/** `isPermanent`: the mail server will never accept it; otherwise a retry makes sense. */
export type MailOutcome = { ok: true } | { ok: false; isPermanent: boolean; fault: Fault }

export interface Mailer {
  send(mail: Mail): Promise<MailOutcome>
  close(): void
}

const TIMEOUT_MS = 10_000
const AT_ONCE = 4
/** Mails of all tenants share the connections in order of arrival. */
const ALL_TENANTS = ''
/** Time limits for waiting for a connection and for sending a mail. Together they are shorter than the lease of any sender. */
const PATIENCE = { slotMs: 15_000, sendMs: 35_000 }

/**
 * Whether to refuse a server without encryption, which would expose the password. Loopback servers and URLs that say otherwise
 * (`?requireTLS=false`, `?ignoreTLS=true`) are exempt.
 */
export function mustEncrypt(smtpUrl: string): boolean {
  const { protocol, hostname, password, searchParams } = new URL(smtpUrl)
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/i.test(hostname)
  return protocol === 'smtp:' && password !== '' && !isHere && !searchParams.has('requireTLS') && !searchParams.has('ignoreTLS')
}

/** Sends through SMTP_URL. Without one, mails are written as `.eml` files to `<dataDir>/mail`, so that a trial installation can read them. */
export function createMailer(settings: {
  smtpUrl: Secret | undefined
  from: string
  dataDir: string
  clock: Clock
  logger: Logger
  /** for tests */
  patience?: { slotMs: number; sendMs: number }
}): Mailer {
  const { slotMs, sendMs } = settings.patience ?? PATIENCE
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
  const url = settings.smtpUrl?.reveal()
  const options = url
    ? { url, pool: true, maxConnections: AT_ONCE, ...timeouts, ...(mustEncrypt(url) && { requireTLS: true }) }
    : { streamTransport: true, buffer: true }
  const openTransport = async () => (await import('nodemailer')).default.createTransport(options as never)
  let transport: ReturnType<typeof openTransport> | undefined
  const turns = new Turns({
    slots: AT_ONCE,
    perTenant: AT_ONCE,
    waitingPerTenant: Number.POSITIVE_INFINITY,
    waitMs: slotMs,
    refusal: () => new Error('no slot became free'),
  })
  return {
    async send({ messageId, ...mail }) {
      // The transport cannot cancel a queued mail, which would then go out beside its retry.
      const release = await turns.acquire(ALL_TENANTS).catch(() => null)
      if (!release) return { ok: false, isPermanent: false, fault: fault('mail_server_slow') }
      try {
        const message = {
          from: settings.from,
          // RFC 3834, 5.2: absence notes and other robots do not answer
          headers: { 'Auto-Submitted': 'auto-generated' },
          ...mail,
          ...(messageId ? { messageId: `<${messageId}@haltless>` } : {}),
        }
        transport ??= openTransport().catch((error) => {
          // the next mail loads the package again
          transport = undefined
          throw error
        })
        const sending: Promise<unknown> = transport.then((opened) => opened.sendMail(message))
        sending.then(release, release)
        const sent = await withTimeout(sendMs, sending)
        if (!settings.smtpUrl)
          await writeEml(settings.dataDir, settings.clock.now(), (sent as { message: Buffer }).message, mail, settings.logger)
        return { ok: true }
      } catch (error) {
        if (error instanceof TimeoutError) return { ok: false, isPermanent: false, fault: fault('mail_server_timeout') }
        const { code, responseCode, message } = error as { code?: string; responseCode?: number; message: string }
        // The sender gets the server's reply to this mail; other errors go to the log for the operator.
        if (code === 'EENVELOPE' || code === 'EMESSAGE')
          return { ok: false, isPermanent: (responseCode ?? 0) >= 500, fault: fault('mail_refused', { text: storable(message) }) }
        settings.logger.warn({ err: error }, 'the mail server did not accept a mail; it will be tried again')
        return { ok: false, isPermanent: false, fault: fault('mail_server_away') }
      }
    },
    close: () =>
      void transport?.then(
        (opened) => opened.close(),
        () => {},
      ),
  }
}

/** One line of at most 500 characters that PostgreSQL can store. */
const storable = (text: string): string =>
  text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, 500)
    .toWellFormed()

/** Also writes the plain text, so that links can be followed without a mail client. */
async function writeEml(dataDir: string, now: Date, message: Buffer, mail: Mail, logger: Logger): Promise<void> {
  const folder = path.join(dataDir, 'mail')
  const file = path.join(folder, `${now.toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(file.replace(/eml$/, 'txt'), `To: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}`, { mode: 0o600 })
  await writeFile(`${file}.part`, message, { mode: 0o600 })
  await rename(`${file}.part`, file)
  logger.info({ file }, 'SMTP_URL is not set: a mail was written to a file')
}
