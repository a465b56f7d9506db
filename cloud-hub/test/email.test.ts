import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { Secret } from '@haltless/edge-agent/secret'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type DeliveryDeps, DeliveryWorker } from '../src/features/delivery/notifications/deliver.ts'
import { createLogger } from '../src/support/logger.ts'
import { createMailer, type Mailer } from '../src/support/mail.ts'
import { plant, TestClock, useHub } from './harness.ts'
import { soon } from './soon.ts'

const hub = useHub()
const clock = new TestClock()
const logger = createLogger('silent')

const mails: { to: string[]; mail: Email }[] = []
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
      mails.push({ to: session.envelope.rcptTo.map((to) => to.address), mail: await PostalMime.parse(Buffer.concat(chunks)) })
      done()
    })
  },
})

const from = 'Haltless <alerts@example.com>'
let folder: string
/** through the SMTP server, and without one */
let [overSmtp, toFiles]: Mailer[] = []
const worker = { mailer: undefined as unknown as Mailer }
let stop: () => Promise<void>

beforeAll(async () => {
  await new Promise<void>((done) => smtp.listen(0, '127.0.0.1', done))
  const { port } = smtp.server.address() as AddressInfo
  folder = await mkdtemp(path.join(os.tmpdir(), 'haltless-mail-'))
  const settings = { from, dataDir: folder, clock, logger }
  overSmtp = createMailer({ ...settings, smtpUrl: new Secret(`smtp://127.0.0.1:${port}`) })
  toFiles = createMailer({ ...settings, smtpUrl: undefined })
  const { pools, box, http } = hub.deps
  const mailer: Mailer = { send: (mail) => worker.mailer.send(mail), close: () => {} }
  const deps: DeliveryDeps = {
    allTenants: pools.system,
    listen: pools.listen,
    box,
    http,
    mailer,
    publicUrl: 'https://hub.example.com',
    vapid: null,
    clock,
    logger,
    observe: () => {},
  }
  const started = await DeliveryWorker.start(deps)
  stop = () => started.stop()
})
afterAll(async () => {
  await stop?.()
  overSmtp?.close()
  toFiles?.close()
  await new Promise<void>((done) => smtp.close(done))
  await rm(folder, { recursive: true })
})

/** A tenant whose alerts go to an address of its own. */
async function alarmed(mailer: Mailer) {
  worker.mailer = mailer
  hub.deps.mailer = mailer
  const made = await plant(hub)
  const { admin, key, identifier, machine } = made
  await admin.call('PATCH', `machines/${machine.id}`, { name: 'Press <1> & Söhne', location: 'Hall 3' })
  await admin.call('POST', 'alert-rules', { metric_name: 'temperature', warning_threshold: 80, critical_threshold: 90 })
  const to = `${identifier}@example.com`
  const given = { name: 'Ops', channel_type: 'email', config: { to_email: to } }
  const channel = (await admin.call('POST', 'notification-channels', given)).body
  const attempts = async () => (await admin.call('GET', `notification-channels/${channel.id}/deliveries`)).body.items
  const standing = async () => (await hub.owner`select id, status from deliveries where channel_id = ${channel.id}`)[0]
  return { ...made, channel, to, attempts, standing, raise: () => hub.send(key, [{ machine: identifier, value: 95.5 }]) }
}
const sentTo = (to: string) => mails.filter((one) => one.to.includes(to)).map(({ mail }) => mail)

describe('an alert by e-mail', () => {
  it('says what happened where, as text and as HTML that cannot be broken out of', async () => {
    const { channel, to, raise, attempts, standing } = await alarmed(overSmtp as Mailer)
    expect(channel.config).toEqual({ to_email: to })
    await raise()
    await soon(() => expect(sentTo(to)).toHaveLength(1))
    const [mail] = sentTo(to) as [Email]
    expect(mail.from).toMatchObject({ name: 'Haltless', address: 'alerts@example.com' })
    expect(mail.subject).toBe(
      '[critical] Press <1> & Söhne: temperature is 95.5 celsius, above the critical threshold of 90 celsius.',
    )
    for (const word of ['Press <1> & Söhne', 'Hall 3', 'temperature', '95.5 celsius', '90 celsius'])
      expect(mail.text).toContain(word)
    expect(mail.html).toContain('Press &lt;1&gt; &amp; Söhne')
    expect(mail.html).not.toContain('<1>')
    const link = /https:\/\/hub\.example\.com\/alerts\/[\w-]{36}/
    expect([mail.text, mail.html]).toEqual([expect.stringMatching(link), expect.stringMatching(link)])
    await soon(async () => expect(await attempts()).toMatchObject([{ attempt: 1, status: 'delivered', response_status: null }]))
    expect(mail.messageId).toBe(`<${(await standing())?.id}@haltless>`)
  })

  it('has the layout of all mails, readable in the dark, and times in the zone of the user who has the address', async () => {
    const { admin, to, raise } = await alarmed(overSmtp as Mailer)
    await hub.owner`update users set email = ${to.toUpperCase()}, timezone = 'Asia/Tokyo' where id = ${admin.userId}`
    await raise()
    await soon(() => expect(sentTo(to)).toHaveLength(1))
    const [mail] = sentTo(to) as [Email]
    const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', timeZone: 'Asia/Tokyo' }).format(clock.now())
    expect(mail.text).toMatch(new RegExp(`^Measured +\\d+ \\w+ \\d{4}, ${hour}:\\d\\d:\\d\\d$`, 'm'))
    expect(mail.text).toContain('Times are in Asia/Tokyo.')
    expect(mail.html).toMatch(/prefers-color-scheme: dark/)
    expect(mail.html).toMatch(/class="card" style="[^"]*background:#ffffff;color:#1d2730/)
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated')
  })

  it('of a machine whose name would be a header is one line of subject, to nobody else', async () => {
    const { admin, machine, to, raise } = await alarmed(overSmtp as Mailer)
    const name = `A\r\nBcc: eve@example.com\r\n\r\n<b>\u202e\u0007${'🏭'.repeat(200)}`
    expect((await admin.call('PATCH', `machines/${machine.id}`, { name })).status).toBe(200)
    await raise()
    await soon(() => expect(sentTo(to)).toHaveLength(1))
    const [mail] = sentTo(to) as [Email]
    expect(mails.flatMap((one) => one.to)).not.toContain('eve@example.com')
    expect([mail.to?.length, mail.bcc]).toEqual([1, undefined])
    expect(mail.subject).toMatch(/^\[critical\] A Bcc: eve@example\.com <b> (🏭)+…$/u)
    expect(mail.html).toContain('A Bcc: eve@example.com &lt;b&gt; 🏭')
    expect(mail.text).not.toMatch(/[\u202e\u0007]/)
  })

  it('is tried again under the same message id when the server is busy, and not when it refuses for good', async () => {
    const busy = await alarmed(overSmtp as Mailer)
    refusals = [451]
    await busy.raise()
    await soon(async () =>
      expect(await busy.attempts()).toMatchObject([{ status: 'failed', error: expect.stringContaining('451') }]),
    )
    const before = await busy.standing()
    expect(before?.status).toBe('waiting')
    clock.advance(7)
    await hub.owner.notify('haltless_deliveries', '')
    await soon(async () => expect((await busy.standing())?.status).toBe('delivered'))
    expect(sentTo(busy.to).map((mail) => mail.messageId)).toEqual([`<${before?.id}@haltless>`])

    const unknown = await alarmed(overSmtp as Mailer)
    refusals = [550]
    await unknown.raise()
    await soon(async () =>
      expect(await unknown.attempts()).toMatchObject([{ status: 'failed', error: expect.stringContaining('550') }]),
    )
    expect((await unknown.standing())?.status).toBe('refused')
  })

  it('without SMTP_URL becomes an .eml file that only the hub’s user can read', async () => {
    const { to, raise } = await alarmed(toFiles as Mailer)
    await raise()
    const files = () => readdir(path.join(folder, 'mail'))
    const [file] = await soon(async () => {
      const found = (await files()).filter((name) => name.endsWith('.eml'))
      expect(found).toHaveLength(1)
      return found as [string]
    })
    const at = path.join(folder, 'mail', file)
    expect((await stat(at)).mode & 0o777).toBe(0o600)
    const mail = await PostalMime.parse(await readFile(at))
    expect(mail.to).toMatchObject([{ address: to }])
    expect(mail.subject).toMatch(/^\[critical\] Press/)
  })
})

describe('a test by e-mail', () => {
  it('arrives, and says so', async () => {
    const { admin, channel, to } = await alarmed(overSmtp as Mailer)
    const answer = await admin.call('POST', `notification-channels/${channel.id}/test`)
    expect(answer).toMatchObject({ status: 200, body: { success: true } })
    const [mail] = sentTo(to) as [Email]
    expect(mail.subject).toMatch(/^\[info\] This is a test/)
    expect(mail.text).toContain('test_metric')
  })

  it('says why it failed when the server does not take it', async () => {
    const { admin, channel } = await alarmed(overSmtp as Mailer)
    refusals = [550]
    const test = async () => (await admin.call('POST', `notification-channels/${channel.id}/test`)).body
    expect(await test()).toMatchObject({ success: false, message: expect.stringContaining('550') })
  })

  it.each([
    ['is not there', () => 'smtp://127.0.0.1:9'],
    ['does not let the hub in', () => `smtp://hub:wrong@127.0.0.1:${(smtp.server.address() as AddressInfo).port}`],
  ])('that the mail server %s is told without its address, and is tried again', async (_name, url) => {
    const mailer = createMailer({ smtpUrl: new Secret(url()), from, dataDir: folder, clock, logger })
    onTestFinished(() => mailer.close())
    const { admin, channel, raise, standing } = await alarmed(mailer)
    const { body } = await admin.call('POST', `notification-channels/${channel.id}/test`)
    const message = 'The test failed: the mail server does not respond, or refuses the login of the hub.'
    expect(body).toMatchObject({ success: false, message, fault: { code: 'mail_server_away' } })
    await raise()
    await soon(async () =>
      expect((await hub.owner`select 1 from delivery_attempts where channel_id = ${channel.id}`).length).toBe(2),
    )
    expect((await standing())?.status).toBe('waiting')
  })
})
