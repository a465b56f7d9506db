import { reportWriter } from '../report-writer.ts'
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
  report: (r) => {
    const { range, moment, number, figure } = reportWriter(r)
    const kind = { daily: 'Tagesbericht', weekly: 'Wochenbericht', monthly: 'Monatsbericht' }[r.schedule]
    const raised = r.alerts.critical + r.alerts.warning + r.alerts.info
    const severity = (name: string) => ({ critical: 'kritisch', warning: 'Warnung', info: 'Info' })[name] ?? name
    return {
      subject: `${kind} von ${r.tenant}: ${range}`,
      paragraphs: [
        raised === 0
          ? `Keine Alarme bei ${r.tenant}, ${range}.`
          : `${number(raised)} ${raised === 1 ? 'Alarm' : 'Alarme'} bei ${r.tenant}, ${range}: ${number(r.alerts.critical)} kritisch, ${number(r.alerts.warning)} Warnung, ${number(r.alerts.info)} Info. ${number(r.alerts.unacknowledged)} nicht quittiert, ${number(r.alerts.standing)} stehen noch an.`,
        'So stehen die Maschinen jetzt:',
      ],
      figures: [
        figure('in Ordnung', r.fleet.healthy, 'good'),
        figure('Warnung', r.fleet.warning, 'warning'),
        figure('kritisch', r.fleet.critical, 'critical'),
        figure('offline', r.fleet.offline, 'plain'),
      ],
      tables: [
        {
          title: 'Maschinen mit den meisten Alarmen',
          columns: [
            { name: 'Maschine', share: 5 },
            { name: 'Ort', share: 4 },
            { name: 'Alarme', share: 1.5, isNumber: true },
            { name: 'Kritisch', share: 1.5, isNumber: true },
          ],
          rows: r.machines.map((m) => [m.name, m.location ?? '', number(m.alerts), number(m.critical)]),
          none: 'Keine.',
        },
        {
          title: raised > r.latest.length ? `Die letzten ${r.latest.length} Alarme` : 'Alarme',
          columns: [
            { name: 'Zeit', share: 2.6 },
            { name: 'Maschine', share: 4 },
            { name: 'Schwere', share: 1.7 },
            { name: 'Messgröße', share: 3 },
            { name: 'Wert', share: 2.4, isNumber: true },
            { name: 'Quittiert', share: 1.5 },
          ],
          rows: r.latest.map((a) => [
            moment(a.at),
            a.machine,
            severity(a.severity),
            a.metric,
            `${number(a.value)} ${a.unit}`,
            a.isAcknowledged ? 'ja' : 'nein',
          ]),
          none: 'Keine in dieser Zeit.',
        },
      ],
      button: { label: 'Haltless öffnen', url: r.url },
      footnote: `Zeiten in ${r.timeZone}. Sie erhalten diese Mail, weil in Haltless unter Ihren Einstellungen ein Bericht bestellt ist.`,
      pdf: {
        name: `haltless-${r.schedule}-${r.start.slice(0, 10)}.pdf`,
        unknownLetters: 'Buchstaben, die dieses Dokument nicht darstellen kann, stehen als Kästchen; die Mail selbst zeigt sie.',
      },
    }
  },
}
