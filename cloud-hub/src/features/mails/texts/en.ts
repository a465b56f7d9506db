import type { MailTexts } from '../templates.ts'

const when = (instant: string) =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(instant))} UTC`
const NOT_YOU = 'If this was not you, reset your password now and tell an administrator.'

export const en: MailTexts = {
  invitation: ({ tenant, inviter, url, expiresAt }) => ({
    subject: `${inviter} invites you to ${tenant} on Haltless`,
    paragraphs: [
      `${inviter} has made an account for you at ${tenant} on Haltless, where machines are monitored.`,
      'Choose a password to accept the invitation.',
    ],
    button: { label: 'Accept the invitation', url },
    footnote: `The link works once, until ${when(expiresAt)}. If you do not know ${tenant}, ignore this mail.`,
  }),
  password_reset: ({ url, expiresAt }) => ({
    subject: 'Reset your Haltless password',
    paragraphs: ['Someone, most likely you, asked to reset the password of your Haltless account.'],
    button: { label: 'Choose a new password', url },
    footnote: `The link works once, until ${when(expiresAt)}. If it was not you, ignore this mail: nothing changes.`,
  }),
  password_changed: ({ at, ip }) => ({
    subject: 'Your Haltless password was changed',
    paragraphs: [
      `The password of your account was changed on ${when(at)} from ${ip}. All other sessions were signed out.`,
      NOT_YOU,
    ],
  }),
  email_changed: ({ newEmail, at }) => ({
    subject: 'The e-mail address of your Haltless account was changed',
    paragraphs: [
      `On ${when(at)} the address of your account was changed to ${newEmail}. This address no longer signs in.`,
      NOT_YOU,
    ],
  }),
  role_changed: ({ tenant, role, by }) => ({
    subject: `Your role at ${tenant} is now ${role}`,
    paragraphs: [`${by} changed your role at ${tenant} to ${role}. It is in force at once; there is no need to sign in again.`],
  }),
  mfa_changed: ({ enabled, at }) => ({
    subject: `Two-factor sign-in was switched ${enabled ? 'on' : 'off'}`,
    paragraphs: [`Two-factor sign-in of your Haltless account was switched ${enabled ? 'on' : 'off'} on ${when(at)}.`, NOT_YOU],
  }),
}
