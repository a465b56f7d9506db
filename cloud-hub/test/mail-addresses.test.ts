import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { Secret } from '@haltless/edge-agent/secret'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DeliveryWorker } from '../src/features/delivery/notifications/deliver.ts'
import { startMailing } from '../src/features/mails/send-mails.ts'
import { createLogger } from '../src/support/logger.ts'
import { createMailer } from '../src/support/mail.ts'
import { PASSWORD, plant, useHub } from './harness.ts'
import { soon } from './soon.ts'

const hub = useHub()
const logger = createLogger('silent')
/** Recipients of the envelopes. nodemailer writes the domain in Unicode where the name before the @ is not ASCII. */
const recipients: string[] = []
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, session, done) {
    recipients.push(...session.envelope.rcptTo.map(({ address }) => address))
    stream.resume().on('end', () => done())
  },
})
let end: () => Promise<unknown>
beforeAll(async () => {
  await new Promise<void>((done) => smtp.listen(0, '127.0.0.1', done))
  const smtpUrl = new Secret(`smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`)
  const { pools, box, http } = hub.deps
  const mailer = createMailer({ from: 'hub@example.com', dataDir: '/nowhere', clock: hub.clock, logger, smtpUrl })
  hub.deps.mailer = mailer
  const shared = { allTenants: pools.system, listen: pools.listen, box, mailer, clock: hub.clock, logger }
  const stopMails = await startMailing(shared)
  const worker = await DeliveryWorker.start({ ...shared, http, publicUrl: 'https://hub.test', vapid: null, observe: () => {} })
  end = async () => {
    await Promise.all([stopMails(), worker.stop()])
    mailer.close()
    await new Promise<void>((done) => smtp.close(done))
  }
})
afterAll(() => end())

const register = (email: string) =>
  hub.call('POST', 'auth/register', { email, password: PASSWORD, full_name: 'Jürgen', tenant_name: 'Müller' })
const login = (email: string) => hub.call('POST', 'auth/login', { email, password: PASSWORD })

/** An address that no other test uses, in four spellings; the first is canonical. */
function spellings() {
  const id = randomUUID().slice(0, 8)
  return {
    canonical: `jürgen.${id}@xn--mller-kva.example`,
    sent: `jürgen.${id}@müller.example`,
    others: [` JÜRGEN.${id}@MÜLLER.example `, `ju\u0308rgen.${id}@mu\u0308ller.example`, `jürgen.${id}@XN--MLLER-KVA.EXAMPLE\n`],
  }
}

describe('an address with an IDN domain and a name that is not ASCII', () => {
  it('is one account in all spellings, at sign-up, sign-in and invitation', async () => {
    const { canonical, others } = spellings()
    const made = await register(others[0] as string)
    expect(made.status).toBe(201)
    const headers = { authorization: `Bearer ${made.body.access_token}` }
    expect((await hub.call('GET', 'auth/me', undefined, headers)).body.email).toBe(canonical)
    for (const spelling of [canonical, ...others]) {
      expect((await login(spelling)).status).toBe(200)
      const invitation = { email: spelling, full_name: 'Jürgen', role: 'viewer' }
      expect((await hub.call('POST', 'users/invite', invitation, headers)).body.code).toBe('email_taken')
      expect((await hub.call('POST', 'users', { ...invitation, password: PASSWORD }, headers)).body.code).toBe('email_taken')
    }
    expect((await register(others[1] as string)).status).toBe(409)
  })

  it('gets the mails of invitations, forgotten passwords and channels', async () => {
    const { admin } = await plant(hub)
    const [invited, reset, channel] = [spellings(), spellings(), spellings()]
    const invitation = { email: invited.others[0], full_name: 'Jürgen', role: 'viewer' }
    expect(await admin.call('POST', 'users/invite', invitation)).toMatchObject({
      status: 201,
      body: { email: invited.canonical },
    })
    await register(reset.canonical)
    await hub.call('POST', 'auth/password-reset', { email: reset.others[0] })
    await soon(() => expect(recipients).toEqual(expect.arrayContaining([invited.sent, reset.sent])))

    const given = { name: 'Mail', channel_type: 'email', config: { to_email: channel.others[0] } }
    const { body } = await admin.call('POST', 'notification-channels', given)
    expect(body.config).toEqual({ to_email: channel.canonical })
    expect((await admin.call('POST', `notification-channels/${body.id}/test`)).body).toMatchObject({ success: true })
    expect(recipients).toContain(channel.sent)
  })

  it('is canonical among the recipients of reports, and as the domain of single sign-on', async () => {
    const { admin } = await plant(hub)
    const { canonical, others } = spellings()
    const reports = await admin.call('PATCH', 'settings/report-schedule', { report_schedule: 'daily', report_emails: others })
    expect(reports).toMatchObject({ status: 200, body: { report_emails: others.map(() => canonical) } })
    const sso = {
      provider_name: 'ID',
      client_id: 'hub',
      client_secret: 's',
      discovery_url: 'https://id.example.com/',
      domain: 'Müller.example',
    }
    expect((await admin.call('POST', 'auth/sso/config', sso)).body.domain).toBe('xn--mller-kva.example')
  })
})

it('a domain in capitals that was stored before is no new address', async () => {
  const { admin } = await plant(hub)
  const id = randomUUID()
  await hub.owner`update users set email = ${`Ada.${id}@EXAMPLE.com`} where id = ${admin.userId}`
  expect((await login(`ada.${id}@example.com`)).status).toBe(200)
})
