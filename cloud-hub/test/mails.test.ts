import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { Secret } from '@haltless/edge-agent/secret'
import { languageOf } from '@haltless/protocol/languages'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MailParams, MailTemplate } from '../src/features/mails/mail-params.ts'
import { purgeMails, startMailing } from '../src/features/mails/send-mails.ts'
import { mailContentOf } from '../src/features/mails/templates.ts'
import { createLogger } from '../src/support/logger.ts'
import { createMailer, type Mailer } from '../src/support/mail.ts'
import { renderMail } from '../src/support/mail-layout.ts'
import { useHub } from './harness.ts'
import { soon } from './soon.ts'

const hub = useHub()
const logger = createLogger('silent')

/** by recipient */
const received: { to: string; mail: Email }[] = []
/** codes with which the next mails are refused */
let refusals: number[] = []
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, session, done) {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', async () => {
      const code = refusals.shift()
      if (code) return done(Object.assign(new Error('refused'), { responseCode: code }))
      received.push({ to: session.envelope.rcptTo[0]?.address ?? '', mail: await PostalMime.parse(Buffer.concat(chunks)) })
      done()
    })
  },
})
let mailer: Mailer
let stop: () => Promise<void>
const start = () =>
  startMailing({
    allTenants: hub.deps.pools.system,
    listen: hub.deps.pools.listen,
    box: hub.deps.box,
    mailer,
    clock: hub.clock,
    logger,
  })
beforeAll(async () => {
  await new Promise<void>((done) => smtp.listen(0, '127.0.0.1', done))
  const { port } = smtp.server.address() as AddressInfo
  const smtpUrl = new Secret(`smtp://127.0.0.1:${port}`)
  mailer = createMailer({ from: 'Haltless <hub@example.com>', dataDir: '/nowhere', clock: hub.clock, logger, smtpUrl })
  stop = await start()
})
afterAll(async () => {
  await stop()
  mailer.close()
  await new Promise<void>((done) => smtp.close(done))
})

async function invite(locale?: string): Promise<string> {
  const admin = await hub.admin()
  const email = `${randomUUID()}@example.com`
  await admin.call('POST', 'users/invite', { email, full_name: 'Ina', role: 'viewer', ...(locale ? { locale } : {}) })
  return email
}
const mailTo = (email: string) =>
  soon(() => {
    const found = received.filter((each) => each.to === email)
    expect(found.length).toBeGreaterThan(0)
    return (found[0] as (typeof found)[number]).mail
  })
const rowOf = async (email: string) => (await hub.owner`select * from mails where to_email = ${email}`)[0]

describe('a mail of the hub', () => {
  it('arrives as text and HTML with its link, and its parameters are forgotten', async () => {
    const email = await invite()
    const mail = await mailTo(email)
    expect(mail.subject).toBe('Ada Admin invites you to Acme on Haltless')
    expect(mail.from?.address).toBe('hub@example.com')
    const url = /http:\/\/hub\.test\/invite\?token=[\w-]{43}/
    expect(mail.text).toMatch(url)
    expect(mail.html).toMatch(url)
    await soon(async () => expect(await rowOf(email)).toMatchObject({ status: 'sent', sealed_params: '', error: null }))
    expect(mail.messageId).toBe(`<${(await rowOf(email))?.id}@haltless>`)
  })
  it("comes in the recipient's language", async () => {
    const mail = await mailTo(await invite('de-CH'))
    expect(mail.subject).toBe('Ada Admin lädt Sie zu Acme in Haltless ein')
    expect(mail.html).toContain('<html lang="de">')
  })
  it("has times in the recipient's time zone, and says that no person wrote it", async () => {
    const admin = await hub.admin()
    const { email } = (await admin.call('GET', 'auth/me')).body
    await admin.call('PATCH', 'settings/profile', { timezone: 'Asia/Tokyo' })
    await hub.call('POST', 'auth/password-reset', { email })
    const mail = await mailTo(email)
    expect(mail.text).toMatch(/until .* \(Asia\/Tokyo\)/)
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated')
  })
  it('is tried again after a passing fault, and given up after a final one', async () => {
    refusals = [451]
    const email = await invite()
    await soon(async () => expect(await rowOf(email)).toMatchObject({ status: 'waiting', error: expect.any(String) }))
    expect(received.some((each) => each.to === email)).toBe(false)
    hub.clock.advance(11)
    await mailTo(email)
    refusals = [550]
    const refused = await invite()
    await soon(async () => expect(await rowOf(refused)).toMatchObject({ status: 'refused', sealed_params: '' }))
  })
  it('of a worker that was killed is sent by another once its lease has run out', async () => {
    await stop()
    const email = await invite()
    // taken, and then nothing
    await hub.owner`update mails set attempts = 1, due_at = ${new Date(hub.clock.now().getTime() + 120_000)} where to_email = ${email}`
    stop = await start()
    await new Promise((turn) => setImmediate(turn))
    expect(received.some((each) => each.to === email)).toBe(false)
    hub.clock.advance(121)
    await mailTo(email)
  })
  it('of a template that only a newer hub knows is left to that hub', async () => {
    await stop()
    const email = await invite()
    await hub.owner`update mails set template = 'of_tomorrow' where to_email = ${email}`
    stop = await start()
    await mailTo(await invite())
    expect(await rowOf(email)).toMatchObject({ status: 'waiting', attempts: 0 })
    await hub.owner`update mails set template = 'invitation' where to_email = ${email}`
    await mailTo(email)
  })
  it('is sent once by two workers', async () => {
    const second = await start()
    const emails = await Promise.all(Array.from({ length: 6 }, () => invite()))
    await Promise.all(emails.map(mailTo))
    await second()
    for (const email of emails) expect(received.filter((each) => each.to === email).length).toBe(1)
  })
  it('is forgotten after 30 days', async () => {
    const email = await invite()
    await mailTo(email)
    await purgeMails(hub.deps.pools.system, new Date(hub.clock.now().getTime() + 31 * 86_400_000))
    expect(await rowOf(email)).toBeUndefined()
  })
})

describe('templates', () => {
  const params: MailParams = {
    invitation: {
      tenant: 'A<b>',
      inviter: 'Ada\r\nBcc: x@example.com',
      url: 'https://h.example/?a=1&b=2',
      expiresAt: '2026-01-31T12:00:00.000Z',
    },
    password_reset: { url: 'https://h.example/', expiresAt: '2026-01-31T12:00:00.000Z' },
    password_changed: { at: '2026-01-31T12:00:00.000Z', ip: '192.0.2.1' },
    email_changed: { newEmail: 'n@example.com', at: '2026-01-31T12:00:00.000Z' },
    role_changed: { tenant: 'Acme', role: 'Admin', by: 'ada@example.com' },
    token_created: {
      token: 'export',
      account: null,
      by: 'ada@example.com',
      at: '2026-01-31T12:00:00.000Z',
      ip: '192.0.2.1',
      url: 'https://h.example/',
    },
    token_expiring: { token: 'export', account: 'MES', expiresAt: '2026-01-31T12:00:00.000Z', url: 'https://h.example/' },
    mfa_changed: { enabled: false, at: '2026-01-31T12:00:00.000Z', by: 'ada@example.com' },
    work_order_assigned: {
      title: '<b>Bearing</b>\r\nBcc: x@example.com',
      machine: 'Press <b>1</b>',
      priority: 'high',
      dueAt: '2026-01-31T12:00:00.000Z',
      url: 'https://h.example/',
    },
    note_mention: {
      author: 'Ada\r\nBcc: x@example.com',
      subject: 'Press <b>1</b>',
      text: '<b>New oil</b>',
      startAt: '2026-01-31T12:00:00.000Z',
      url: 'https://h.example/',
    },
    work_order_due: {
      title: 'Bearing',
      machine: 'Press 1',
      priority: 'high',
      dueAt: '2026-01-31T12:00:00.000Z',
      isOverdue: true,
      url: 'https://h.example/',
    },
    maintenance_reminder: {
      title: '<b>Oil</b>',
      machine: 'Press 1',
      startAt: '2026-01-31T12:00:00.000Z',
      endAt: '2026-01-31T13:00:00.000Z',
      isOverrun: false,
      url: 'https://h.example/',
    },
    report: {
      tenant: 'A<b>\r\nc',
      schedule: 'weekly',
      timeZone: 'Europe/Berlin',
      locale: 'en-GB',
      start: '2026-02-01T23:00:00.000Z',
      end: '2026-02-08T23:00:00.000Z',
      fleet: { healthy: 1, warning: 0, critical: 0, offline: 2 },
      alerts: { critical: 1, warning: 0, info: 0, unacknowledged: 0, standing: 0 },
      machines: [{ name: '<b>x</b>', location: null, alerts: 1, critical: 1 }],
      latest: [],
      url: 'https://h.example/',
    },
  }
  it('write times in the reader’s zone, and name it', () => {
    const { password_changed } = params
    const text = (locale: 'en' | 'de', timeZone: string) =>
      mailContentOf('password_changed', locale, { timeZone, ...password_changed }).paragraphs[0]
    expect(text('en', 'America/New_York')).toContain('31 January 2026 at 07:00 (America/New_York)')
    expect(text('de', 'Europe/Berlin')).toContain('31. Januar 2026 um 13:00 (Europe/Berlin)')
  })
  it('never break the name of a fact in two, however long its value is', () => {
    const { html } = renderMail({ subject: 's', paragraphs: [], facts: [['Threshold', 'x'.repeat(255)]] }, 'en')
    expect(html).toMatch(/<td class="soft" style="[^"]*white-space:nowrap[^"]*">Threshold</)
  })
  it.each(Object.keys(params) as MailTemplate[])('%s says the same in both languages, and is safe', (template) => {
    for (const locale of ['en', 'de'] as const) {
      const mail = renderMail(mailContentOf(template, locale, { timeZone: 'UTC', ...params[template] } as never), locale)
      expect(mail.subject).not.toMatch(/[\r\n]/)
      expect(mail.html).not.toContain('<b>')
      expect(mail.html).not.toMatch(/undefined|<img|<script|src=/)
      expect(mail.text).not.toContain('undefined')
      const instant = JSON.stringify(params[template]).includes('2026-01-31')
      if (instant) expect(mail.text).toMatch(locale === 'en' ? /31 January 2026 at 12:00 UTC/ : /31\. Januar 2026 um 12:00 UTC/)
    }
  })
  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['DE', 'de'],
    ['fr', 'en'],
    [null, 'en'],
  ] as const)('for the locale %s are in %s', (locale, language) => {
    expect(languageOf(locale)).toBe(language)
  })
})
