import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Secret } from '@haltless/edge-agent/secret'
import { SMTPServer } from 'smtp-server'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from './clock.ts'
import { createLogger } from './logger.ts'
import { createMailer, mustEncrypt } from './mail.ts'

describe('the mail server', () => {
  test.each([
    ['smtp://mail.example.com', false],
    ['smtp://user:secret@mail.example.com:587', true],
    ['smtps://user:secret@mail.example.com', false],
    ['smtp://user:secret@127.0.0.1:2525', false],
    ['smtp://user:secret@localhost', false],
    ['smtp://user:secret@[::1]', false],
    ['smtp://user:secret@localhost.example.com', true],
    ['smtp://user:secret@mail.example.com?requireTLS=false', false],
    ['smtp://user:secret@mail.example.com?ignoreTLS=true', false],
  ])('%s must encrypt before it gets a password: %s', (url, must) => {
    expect(mustEncrypt(url)).toBe(must)
  })

  test('gets at most four mails at once when it is slow, and a mail that timed out is not sent beside its retry', async () => {
    const held: (() => void)[] = []
    const taken: string[] = []
    const smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, session, done) {
        stream.resume().on('end', () => held.push(() => done()))
        taken.push(...session.envelope.rcptTo.map(({ address }) => address))
      },
    })
    await new Promise<void>((done) => smtp.listen(0, '127.0.0.1', done))
    const mailer = createMailer({
      smtpUrl: new Secret(`smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`),
      from: 'hub@example.com',
      dataDir: '',
      clock: systemClock,
      logger: createLogger('silent'),
      patience: { slotMs: 300, sendMs: 600 },
    })
    onTestFinished(async () => {
      mailer.close()
      for (const release of held) release()
      await new Promise<void>((done) => smtp.close(done))
    })
    const send = (name: string) => mailer.send({ to: `${name}@example.com`, subject: name, text: name, html: name })
    const sent = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(send))
    const errors = sent.map((one) => !one.ok && [one.isPermanent, one.fault.detail])
    const inTime = [false, 'the mail server did not accept the mail in time']
    const busy = [false, 'the mail server is too slow for the number of mails']
    expect(errors).toEqual([inTime, inTime, inTime, inTime, busy, busy])
    const patient = { timeout: 60_000 }
    await vi.waitFor(() => expect(held).toHaveLength(4), patient)
    for (const release of held.splice(0)) release()
    await vi.waitFor(async () => {
      const next = send('g')
      await vi.waitFor(() => expect(held).not.toHaveLength(0), patient)
      for (const release of held.splice(0)) release()
      expect(await next).toEqual({ ok: true })
    }, patient)
    // The mail after them may be tried again where this computer is slow.
    expect([...new Set(taken)].map((address) => address[0]).sort()).toEqual(['a', 'b', 'c', 'd', 'g'])
    expect(taken.filter((address) => !address.startsWith('g'))).toHaveLength(4)
  })

  test('is tried again by the next mail when its package could not be loaded', async () => {
    // a file descriptor that is missing, or an update of the packages that is under way
    vi.doMock('nodemailer', () => {
      throw new Error('EMFILE: too many open files')
    })
    onTestFinished(() => void vi.doUnmock('nodemailer'))
    const dataDir = mkdtempSync(path.join(tmpdir(), 'haltless-mail-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    const mailer = createMailer({
      smtpUrl: undefined,
      from: 'hub@example.com',
      dataDir,
      clock: systemClock,
      logger: createLogger('silent'),
    })
    const mail = { to: 'a@example.com', subject: 'a', text: 'a', html: 'a' }
    expect(await mailer.send(mail)).toMatchObject({ ok: false, isPermanent: false })
    vi.doUnmock('nodemailer')
    expect(await mailer.send(mail)).toEqual({ ok: true })
    mailer.close()
  })
})
