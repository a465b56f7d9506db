import type { MailTexts } from '../mail-params.ts'
import { type PredictionWords, predictionTables } from '../report-predictions.ts'
import { type ProductionWords, productionParts } from '../report-production.ts'
import { reportWriter } from '../report-writer.ts'
import { sanitizeName } from '../sanitize-name.ts'

const when = (instant: string, timeZone: string) =>
  `${new Intl.DateTimeFormat('de-DE', { dateStyle: 'long', timeStyle: 'short', timeZone }).format(new Date(instant))} ${timeZone === 'UTC' ? 'UTC' : `(${timeZone})`}`
const NOT_YOU = 'Waren Sie das nicht, setzen Sie jetzt Ihr Passwort zurück und informieren Sie einen Administrator.'

const PERIODS = { daily: 'dem Tag', weekly: 'der Woche', monthly: 'dem Monat' } as const
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
  risks: { healthy: 'gesund', watch: 'beobachten', warning: 'gefährdet', critical: 'kritisch' },
  none: 'Keine.',
}

export const de: MailTexts = {
  invitation: ({ url, expiresAt, timeZone, ...names }) => {
    const [tenant, inviter] = [sanitizeName(names.tenant), sanitizeName(names.inviter)]
    return {
      subject: `${inviter} lädt Sie zu ${tenant} auf Haltless ein`,
      paragraphs: [
        `${inviter} hat für Sie ein Konto bei ${tenant} auf Haltless angelegt, der Überwachung für Maschinen.`,
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
      `Das Passwort Ihres Kontos wurde am ${when(at, timeZone)} von ${ip} aus geändert. Alle anderen Sitzungen wurden abgemeldet.`,
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
    subject: `Zwei-Faktor-Anmeldung wurde ${enabled ? 'eingeschaltet' : 'ausgeschaltet'}`,
    paragraphs: [
      `Die Zwei-Faktor-Anmeldung Ihres Haltless-Kontos wurde am ${when(at, timeZone)} ${enabled ? 'eingeschaltet' : 'ausgeschaltet'}.`,
      ...(by === undefined
        ? [NOT_YOU]
        : [
            `${by} hat sie als Administrator zurückgesetzt, und alle Ihre Sitzungen wurden beendet. Melden Sie sich mit Ihrem Passwort an, und richten Sie sie wieder ein.`,
            'Wenn Sie nicht darum gebeten haben, sprechen Sie mit einem anderen Administrator.',
          ]),
    ],
  }),
  work_order_assigned: ({ title, machine, priority, dueAt, url, timeZone }) => ({
    subject: `Arbeitsauftrag für Sie: ${sanitizeName(title)}`,
    paragraphs: [
      `Der Arbeitsauftrag „${title}“ an ${machine} ist Ihnen zugewiesen. Priorität: ${PRIORITIES[priority]}.`,
      ...(dueAt === null ? [] : [`Er ist fällig am ${when(dueAt, timeZone)}.`]),
    ],
    button: { label: 'Arbeitsauftrag öffnen', url },
  }),
  work_order_due: ({ title, machine, priority, dueAt, isOverdue, url, timeZone }) => ({
    subject: `${isOverdue ? 'Überfällig' : 'Bald fällig'}: ${sanitizeName(title)}`,
    paragraphs: [
      `Der Arbeitsauftrag „${title}“ an ${machine} ${isOverdue ? 'war' : 'ist'} fällig am ${when(dueAt ?? '', timeZone)}. Priorität: ${PRIORITIES[priority]}.`,
    ],
    button: { label: 'Arbeitsauftrag öffnen', url },
  }),
  maintenance_reminder: ({ title, machine, startAt, endAt, isOverrun, url, timeZone }) =>
    isOverrun
      ? {
          subject: `Wartung läuft noch: ${sanitizeName(title)}`,
          paragraphs: [
            `Die Wartung „${title}“ an ${machine} war bis ${when(endAt, timeZone)} geplant und läuft noch.`,
            'Bis sie abgeschlossen oder abgesagt ist, benachrichtigen Alarme dieser Maschine niemanden.',
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
    const severity = (name: string) => ({ critical: 'kritisch', warning: 'Warnung', info: 'Info' })[name] ?? name
    return {
      subject: `${kind} von ${sanitizeName(r.tenant)}: ${range}`,
      paragraphs: [
        raised === 0
          ? `Keine Alarme bei ${r.tenant}, ${range}.`
          : `${number(raised)} ${raised === 1 ? 'Alarm' : 'Alarme'} bei ${r.tenant}, ${range}: ${number(r.alerts.critical)} kritisch, ${number(r.alerts.warning)} Warnung, ${number(r.alerts.info)} Info. ${number(r.alerts.unacknowledged)} nicht quittiert, ${number(r.alerts.standing)} stehen noch an.`,
        ...(r.before
          ? [
              `Gegenüber ${PERIODS[r.schedule]} davor: ${difference(r.alerts.critical, r.before.critical)} kritisch, ${difference(r.alerts.warning, r.before.warning)} Warnung, ${difference(r.alerts.info, r.before.info)} Info.`,
            ]
          : []),
        ...production.paragraphs,
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
            { name: 'Schwere', share: 1.7 },
            { name: 'Messgröße', share: 2.8 },
            { name: 'Wert', share: 2.3, isNumber: true },
            { name: 'Schwelle', share: 1.9, isNumber: true },
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
      footnote: `Zeiten in ${r.timeZone}. Sie erhalten diese Mail, weil in Haltless unter Ihren Einstellungen ein Bericht bestellt ist.`,
      pdf: {
        name: `haltless-${r.schedule}-${startDay}.pdf`,
        unknownLetters: 'Buchstaben, die dieses Dokument nicht darstellen kann, stehen als Kästchen; die Mail selbst zeigt sie.',
      },
    }
  },
}
