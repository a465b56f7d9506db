import type { MailTexts } from '../templates.ts'

const when = (instant: string) =>
  `${new Intl.DateTimeFormat('de-DE', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(instant))} UTC`
const NOT_YOU = 'Waren Sie das nicht, setzen Sie jetzt Ihr Passwort zurück und informieren Sie einen Administrator.'

export const de: MailTexts = {
  invitation: ({ tenant, inviter, url, expiresAt }) => ({
    subject: `${inviter} lädt Sie zu ${tenant} auf Haltless ein`,
    paragraphs: [
      `${inviter} hat für Sie ein Konto bei ${tenant} auf Haltless angelegt, der Überwachung für Maschinen.`,
      'Wählen Sie ein Passwort, um die Einladung anzunehmen.',
    ],
    button: { label: 'Einladung annehmen', url },
    footnote: `Der Link gilt einmal, bis ${when(expiresAt)}. Kennen Sie ${tenant} nicht, ignorieren Sie diese E-Mail.`,
  }),
  password_reset: ({ url, expiresAt }) => ({
    subject: 'Ihr Haltless-Passwort zurücksetzen',
    paragraphs: ['Jemand, vermutlich Sie selbst, möchte das Passwort Ihres Haltless-Kontos zurücksetzen.'],
    button: { label: 'Neues Passwort wählen', url },
    footnote: `Der Link gilt einmal, bis ${when(expiresAt)}. Waren Sie es nicht, ignorieren Sie diese E-Mail: Es ändert sich nichts.`,
  }),
  password_changed: ({ at, ip }) => ({
    subject: 'Ihr Haltless-Passwort wurde geändert',
    paragraphs: [
      `Das Passwort Ihres Kontos wurde am ${when(at)} von ${ip} aus geändert. Alle anderen Sitzungen wurden abgemeldet.`,
      NOT_YOU,
    ],
  }),
  email_changed: ({ newEmail, at }) => ({
    subject: 'Die E-Mail-Adresse Ihres Haltless-Kontos wurde geändert',
    paragraphs: [
      `Am ${when(at)} wurde die Adresse Ihres Kontos auf ${newEmail} geändert. Mit dieser hier ist keine Anmeldung mehr möglich.`,
      NOT_YOU,
    ],
  }),
  role_changed: ({ tenant, role, by }) => ({
    subject: `Ihre Rolle bei ${tenant} ist jetzt ${role}`,
    paragraphs: [`${by} hat Ihre Rolle bei ${tenant} auf ${role} geändert. Das gilt sofort, ohne neue Anmeldung.`],
  }),
  mfa_changed: ({ enabled, at }) => ({
    subject: `Zwei-Faktor-Anmeldung wurde ${enabled ? 'eingeschaltet' : 'ausgeschaltet'}`,
    paragraphs: [
      `Die Zwei-Faktor-Anmeldung Ihres Haltless-Kontos wurde am ${when(at)} ${enabled ? 'eingeschaltet' : 'ausgeschaltet'}.`,
      NOT_YOU,
    ],
  }),
}
