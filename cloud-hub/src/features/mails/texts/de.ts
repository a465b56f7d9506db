import type { MailTexts } from '../mail-params.ts'
import { type PredictionWords, predictionTables } from '../report-predictions.ts'
import { type ProductionWords, productionParts } from '../report-production.ts'
import { reportWriter } from '../report-writer.ts'
import { sanitizeName } from '../sanitize-name.ts'

const when = (instant: string, timeZone: string) =>
  `${new Intl.DateTimeFormat('de-DE', { dateStyle: 'long', timeStyle: 'short', timeZone }).format(new Date(instant))} ${timeZone === 'UTC' ? 'UTC' : `(${timeZone})`}`
const NOT_YOU = 'Waren Sie das nicht, setzen Sie jetzt Ihr Passwort zurück und informieren Sie einen Administrator.'

const PERIODS = { daily: 'dem Vortag', weekly: 'der Vorwoche', monthly: 'dem Vormonat' } as const
const PRIORITIES = { low: 'niedrig', medium: 'mittel', high: 'hoch', critical: 'kritisch' } as const

const PRODUCTION: ProductionWords = {
  summary: (hours, records, overdue) =>
    `Stillstand: ${hours} Stunden aller Maschinen zusammen, ${records} Einträge. Überfällige Arbeitsaufträge jetzt: ${overdue}.`,
  mostDowntime: 'Maschinen mit dem meisten Stillstand',
  downtimeColumns: ['Maschine', 'Ort', 'Einträge', 'Stunden'],
  shifts: 'OEE nach Schicht',
  shiftColumns: ['Schicht', 'Protokolle', 'OEE', 'Verfügbarkeit', 'Leistung', 'Qualität'],
  overdue: (count, shown) =>
    count > shown ? `Die ${shown} am längsten überfälligen Arbeitsaufträge` : 'Überfällige Arbeitsaufträge',
  overdueColumns: ['Arbeitsauftrag', 'Maschine', 'Priorität', 'Fällig'],
  priorities: PRIORITIES,
  none: 'Keine.',
}

const PREDICTIONS: PredictionWords = {
  title: (count, shown) =>
    count > shown ? `Die ${shown} am meisten gefährdeten Maschinen, von ${count}` : 'Gefährdete Maschinen',
  columns: ['Maschine', 'Ort', 'Risiko', 'Zustand', 'Tage bis Wartung', 'Tage bis Ausfall'],
  risks: { healthy: 'in Ordnung', watch: 'beobachten', warning: 'gefährdet', critical: 'kritisch' },
  none: 'Keine.',
}

const warnings = (count: number) => (Math.abs(count) === 1 ? 'Warnung' : 'Warnungen')
const notes = (count: number) => (Math.abs(count) === 1 ? 'Hinweis' : 'Hinweise')

export const de: MailTexts = {
  invitation: ({ url, expiresAt, timeZone, ...names }) => {
    const [tenant, inviter] = [sanitizeName(names.tenant), sanitizeName(names.inviter)]
    return {
      subject: `${inviter} lädt Sie zu ${tenant} in Haltless ein`,
      paragraphs: [
        `${inviter} hat für Sie ein Konto bei ${tenant} in Haltless angelegt, der Maschinenüberwachung.`,
        'Wählen Sie ein Passwort, um die Einladung anzunehmen.',
      ],
      button: { label: 'Einladung annehmen', url },
      footnote: `Der Link gilt einmal, bis ${when(expiresAt, timeZone)}. Kennen Sie ${tenant} nicht, ignorieren Sie diese E-Mail.`,
    }
  },
  password_reset: ({ url, expiresAt, timeZone }) => ({
    subject: 'Ihr Haltless-Passwort zurücksetzen',
    paragraphs: ['Jemand, vermutlich Sie selbst, möchte das Passwort Ihres Haltless-Kontos zurücksetzen.'],
    button: { label: 'Neues Passwort wählen', url },
    footnote: `Der Link gilt einmal, bis ${when(expiresAt, timeZone)}. Waren Sie es nicht, ignorieren Sie diese E-Mail: Es ändert sich nichts.`,
  }),
  password_changed: ({ at, ip, timeZone }) => ({
    subject: 'Ihr Haltless-Passwort wurde geändert',
    paragraphs: [
      `Das Passwort Ihres Kontos wurde am ${when(at, timeZone)} von ${ip} aus geändert. Alle anderen Sitzungen wurden abgemeldet und Ihre persönlichen Zugriffstokens widerrufen.`,
      NOT_YOU,
    ],
  }),
  email_changed: ({ newEmail, at, timeZone }) => ({
    subject: 'Die E-Mail-Adresse Ihres Haltless-Kontos wurde geändert',
    paragraphs: [
      `Am ${when(at, timeZone)} wurde die Adresse Ihres Kontos auf ${newEmail} geändert. Mit dieser hier ist keine Anmeldung mehr möglich.`,
      NOT_YOU,
    ],
  }),
  role_changed: ({ by, ...names }) => {
    const [tenant, role] = [sanitizeName(names.tenant), sanitizeName(names.role)]
    return {
      subject: `Ihre Rolle bei ${tenant} ist jetzt ${role}`,
      paragraphs: [`${by} hat Ihre Rolle bei ${tenant} auf ${role} geändert. Das gilt sofort, ohne neue Anmeldung.`],
    }
  },
  mfa_changed: ({ enabled, at, by, timeZone }) => ({
    subject: `Anmeldung in zwei Schritten wurde ${enabled ? 'eingeschaltet' : 'ausgeschaltet'}`,
    paragraphs: [
      `Die Anmeldung in zwei Schritten Ihres Haltless-Kontos wurde am ${when(at, timeZone)} ${enabled ? 'eingeschaltet' : 'ausgeschaltet'}.`,
      ...(by === undefined
        ? [NOT_YOU]
        : [
            `${by} hat sie als Administrator zurückgesetzt, und alle Ihre Sitzungen wurden beendet. Melden Sie sich mit Ihrem Passwort an, und richten Sie sie wieder ein.`,
            'Wenn Sie nicht darum gebeten haben, sprechen Sie mit einem anderen Administrator.',
          ]),
    ],
  }),
  token_created: ({ token, account, by, at, ip, url, timeZone }) => ({
    subject: `Ein neues Zugriffstoken: ${sanitizeName(token)}`,
    paragraphs: [
      account === null
        ? `Das Zugriffstoken „${token}“ Ihres Kontos wurde am ${when(at, timeZone)} von ${ip} aus angelegt. Ein Programm, das es hat, handelt in Ihrem Namen.`
        : `${by} hat am ${when(at, timeZone)} von ${ip} aus das Zugriffstoken „${token}“ des Dienstkontos ${account} angelegt.`,
      account === null
        ? 'Waren Sie das nicht, setzen Sie jetzt Ihr Passwort zurück, was alle Ihre Tokens widerruft, und informieren Sie einen Administrator.'
        : 'Hätte das niemand tun sollen, widerrufen Sie es jetzt und informieren Sie einen Administrator.',
    ],
    button: { label: 'Tokens öffnen', url },
  }),
  token_expiring: ({ token, account, expiresAt, url, timeZone }) => ({
    subject: `Das Zugriffstoken ${sanitizeName(token)} läuft bald ab`,
    paragraphs: [
      account === null
        ? `Ihr Zugriffstoken „${token}“ läuft am ${when(expiresAt, timeZone)} ab. Das Programm, das es verwendet, wird ab dann abgewiesen.`
        : `Das Zugriffstoken „${token}“ des Dienstkontos ${account} läuft am ${when(expiresAt, timeZone)} ab. Das Programm, das es verwendet, wird ab dann abgewiesen.`,
      'Legen Sie ein neues Token an, hinterlegen Sie es im Programm, und widerrufen Sie das alte. Verwendet es niemand mehr, ist nichts zu tun.',
    ],
    button: { label: 'Tokens öffnen', url },
  }),
  work_order_assigned: ({ title, machine, priority, dueAt, url, timeZone }) => ({
    subject: `Arbeitsauftrag für Sie: ${sanitizeName(title)}`,
    paragraphs: [
      `Der Arbeitsauftrag „${title}“ an ${machine} wurde Ihnen zugewiesen. Priorität: ${PRIORITIES[priority]}.`,
      ...(dueAt === null ? [] : [`Er ist am ${when(dueAt, timeZone)} fällig.`]),
    ],
    button: { label: 'Arbeitsauftrag öffnen', url },
  }),
  work_order_due: ({ title, machine, priority, dueAt, isOverdue, url, timeZone }) => ({
    subject: `${isOverdue ? 'Überfällig' : 'Bald fällig'}: ${sanitizeName(title)}`,
    paragraphs: [
      `Der Arbeitsauftrag „${title}“ an ${machine} ${isOverdue ? 'war' : 'ist'} am ${when(dueAt ?? '', timeZone)} fällig. Priorität: ${PRIORITIES[priority]}.`,
    ],
    button: { label: 'Arbeitsauftrag öffnen', url },
  }),
  note_mention: ({ author, subject, text, startAt, url, timeZone }) => ({
    subject: `${sanitizeName(author)} erwähnt Sie in einer Notiz zu ${sanitizeName(subject)}`,
    paragraphs: [`${sanitizeName(author)} erwähnt Sie in einer Notiz zu ${subject}, ${when(startAt, timeZone)}:`, text],
    button: { label: 'Notiz öffnen', url },
  }),
  maintenance_reminder: ({ title, machine, startAt, endAt, isOverrun, url, timeZone }) =>
    isOverrun
      ? {
          subject: `Wartung läuft noch: ${sanitizeName(title)}`,
          paragraphs: [
            `Die Wartung „${title}“ an ${machine} war bis ${when(endAt, timeZone)} geplant und läuft noch.`,
            'Bis sie abgeschlossen oder storniert ist, lösen Alarme dieser Maschine keine Benachrichtigungen aus.',
          ],
          button: { label: 'Wartung öffnen', url },
        }
      : {
          subject: `Wartung steht bevor: ${sanitizeName(title)}`,
          paragraphs: [`Die Wartung „${title}“ an ${machine} beginnt am ${when(startAt, timeZone)}.`],
          button: { label: 'Wartung öffnen', url },
        },
  report: (r) => {
    const { range, startDay, moment, number, value, duration, difference, figure } = reportWriter(r)
    const production = productionParts(r.production, { number, moment }, PRODUCTION)
    const kind = { daily: 'Tagesbericht', weekly: 'Wochenbericht', monthly: 'Monatsbericht' }[r.schedule]
    const raised = r.alerts.critical + r.alerts.warning + r.alerts.info
    const severity = (name: string) => ({ critical: 'kritisch', warning: 'Warnung', info: 'Hinweis' })[name] ?? name
    return {
      subject: `${kind} von ${sanitizeName(r.tenant)}: ${range}`,
      paragraphs: [
        raised === 0
          ? `Keine Alarme bei ${r.tenant}, ${range}.`
          : `${number(raised)} ${raised === 1 ? 'Alarm' : 'Alarme'} bei ${r.tenant}, ${range}: ${number(r.alerts.critical)} kritisch, ${number(r.alerts.warning)} ${warnings(r.alerts.warning)}, ${number(r.alerts.info)} ${notes(r.alerts.info)}. ${number(r.alerts.unacknowledged)} nicht quittiert, ${number(r.alerts.standing)} stehen noch an.`,
        ...(r.before
          ? [
              `Gegenüber ${PERIODS[r.schedule]}: ${difference(r.alerts.critical, r.before.critical)} kritisch, ${difference(r.alerts.warning, r.before.warning)} ${warnings(r.alerts.warning - r.before.warning)}, ${difference(r.alerts.info, r.before.info)} ${notes(r.alerts.info - r.before.info)}.`,
            ]
          : []),
        ...production.paragraphs,
        'Zustand der Maschinen jetzt:',
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
            { name: 'Maschine', share: 5, isTitle: true },
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
            { name: 'Zeit', share: 2.4 },
            { name: 'Maschine', share: 3.4, isTitle: true },
            { name: 'Schweregrad', share: 2.1 },
            { name: 'Messgröße', share: 2.8 },
            { name: 'Wert', share: 2.3, isNumber: true },
            { name: 'Grenzwert', share: 1.9, isNumber: true },
            { name: 'Dauer', share: 1.7, isNumber: true },
            { name: 'Quittiert', share: 1.6 },
          ],
          rows: r.latest.map((a) => [
            moment(a.at),
            a.machine,
            severity(a.severity),
            a.metric,
            value(a.value, a.unit),
            value(a.threshold, a.unit),
            a.durationSeconds === null ? 'steht an' : duration(a.durationSeconds),
            a.isAcknowledged ? 'ja' : 'nein',
          ]),
          none: 'Keine in dieser Zeit.',
        },
        ...production.tables,
        ...predictionTables(r.predictions, { number }, PREDICTIONS),
      ],
      button: { label: 'Haltless öffnen', url: r.url },
      footnote: `Zeiten in ${r.timeZone}. Sie erhalten diese E-Mail, weil in Haltless unter Ihren Einstellungen ein Bericht abonniert ist.`,
      pdf: {
        name: `haltless-${r.schedule}-${startDay}.pdf`,
        unknownLetters:
          'Buchstaben, die dieses Dokument nicht darstellen kann, stehen als Kästchen; die E-Mail selbst zeigt sie.',
      },
    }
  },
}
