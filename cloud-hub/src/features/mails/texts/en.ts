import type { MailTexts } from '../mail-params.ts'
import { type PredictionWords, predictionTables } from '../report-predictions.ts'
import { type ProductionWords, productionParts } from '../report-production.ts'
import { reportWriter } from '../report-writer.ts'
import { sanitizeName } from '../sanitize-name.ts'

const when = (instant: string, timeZone: string) =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone }).format(new Date(instant))} ${timeZone === 'UTC' ? 'UTC' : `(${timeZone})`}`
const NOT_YOU = 'If this was not you, reset your password now and tell an administrator.'

const PERIODS = { daily: 'day', weekly: 'week', monthly: 'month' } as const

const PRODUCTION: ProductionWords = {
  summary: (hours, records, overdue) =>
    `Downtime: ${hours} hours of all machines together, ${records} records. Overdue work orders now: ${overdue}.`,
  mostDowntime: 'Machines with the most downtime',
  downtimeColumns: ['Machine', 'Location', 'Records', 'Hours'],
  shifts: 'OEE by shift',
  shiftColumns: ['Shift', 'Logs', 'OEE', 'Availability', 'Performance', 'Quality'],
  overdue: (count, shown) => (count > shown ? `The ${shown} longest overdue work orders` : 'Overdue work orders'),
  overdueColumns: ['Work order', 'Machine', 'Priority', 'Due'],
  priorities: { low: 'low', medium: 'medium', high: 'high', critical: 'critical' },
  none: 'None.',
}

const PREDICTIONS: PredictionWords = {
  title: (count, shown) => (count > shown ? `The ${shown} machines at the highest risk, of ${count}` : 'Machines at risk'),
  columns: ['Machine', 'Location', 'Risk', 'Health', 'Days to maintenance', 'Days to failure'],
  risks: { healthy: 'healthy', watch: 'watch', warning: 'warning', critical: 'critical' },
  none: 'None.',
}

export const en: MailTexts = {
  invitation: ({ url, expiresAt, timeZone, ...names }) => {
    const [tenant, inviter] = [sanitizeName(names.tenant), sanitizeName(names.inviter)]
    return {
      subject: `${inviter} invites you to ${tenant} on Haltless`,
      paragraphs: [
        `${inviter} has made an account for you at ${tenant} on Haltless, where machines are monitored.`,
        'Choose a password to accept the invitation.',
      ],
      button: { label: 'Accept the invitation', url },
      footnote: `The link works once, until ${when(expiresAt, timeZone)}. If you do not know ${tenant}, ignore this mail.`,
    }
  },
  password_reset: ({ url, expiresAt, timeZone }) => ({
    subject: 'Reset your Haltless password',
    paragraphs: ['Someone, most likely you, asked to reset the password of your Haltless account.'],
    button: { label: 'Choose a new password', url },
    footnote: `The link works once, until ${when(expiresAt, timeZone)}. If it was not you, ignore this mail: nothing changes.`,
  }),
  password_changed: ({ at, ip, timeZone }) => ({
    subject: 'Your Haltless password was changed',
    paragraphs: [
      `The password of your account was changed on ${when(at, timeZone)} from ${ip}. All other sessions were signed out, and your personal access tokens were revoked.`,
      NOT_YOU,
    ],
  }),
  email_changed: ({ newEmail, at, timeZone }) => ({
    subject: 'The e-mail address of your Haltless account was changed',
    paragraphs: [
      `On ${when(at, timeZone)} the address of your account was changed to ${newEmail}. This address no longer signs in.`,
      NOT_YOU,
    ],
  }),
  role_changed: ({ by, ...names }) => {
    const [tenant, role] = [sanitizeName(names.tenant), sanitizeName(names.role)]
    return {
      subject: `Your role at ${tenant} is now ${role}`,
      paragraphs: [`${by} changed your role at ${tenant} to ${role}. It is in force at once; there is no need to sign in again.`],
    }
  },
  mfa_changed: ({ enabled, at, by, timeZone }) => ({
    subject: `Two-factor sign-in was switched ${enabled ? 'on' : 'off'}`,
    paragraphs: [
      `Two-factor sign-in of your Haltless account was switched ${enabled ? 'on' : 'off'} on ${when(at, timeZone)}.`,
      ...(by === undefined
        ? [NOT_YOU]
        : [
            `${by} reset it as an administrator, and all your sessions were signed out. Sign in with your password and set it up again.`,
            'If you did not ask for this, talk to another administrator.',
          ]),
    ],
  }),
  token_created: ({ token, account, by, at, ip, url, timeZone }) => ({
    subject: `A new access token: ${sanitizeName(token)}`,
    paragraphs: [
      account === null
        ? `The access token "${token}" of your account was created on ${when(at, timeZone)} from ${ip}. A program that has it acts as you.`
        : `${by} created the access token "${token}" of the service account ${account} on ${when(at, timeZone)} from ${ip}.`,
      account === null
        ? 'If this was not you, reset your password now, which revokes all your tokens, and tell an administrator.'
        : 'If nobody should have done this, revoke it now and tell an administrator.',
    ],
    button: { label: 'Open the tokens', url },
  }),
  token_expiring: ({ token, account, expiresAt, url, timeZone }) => ({
    subject: `The access token ${sanitizeName(token)} expires soon`,
    paragraphs: [
      account === null
        ? `Your access token "${token}" expires on ${when(expiresAt, timeZone)}. The program that uses it is refused from then on.`
        : `The access token "${token}" of the service account ${account} expires on ${when(expiresAt, timeZone)}. The program that uses it is refused from then on.`,
      'Create another token, give it to the program, and revoke the old one. If nothing uses it any more, there is nothing to do.',
    ],
    button: { label: 'Open the tokens', url },
  }),
  work_order_assigned: ({ title, machine, priority, dueAt, url, timeZone }) => ({
    subject: `Work order for you: ${sanitizeName(title)}`,
    paragraphs: [
      `The work order “${title}” on ${machine} is assigned to you. Its priority is ${priority}.`,
      ...(dueAt === null ? [] : [`It is due on ${when(dueAt, timeZone)}.`]),
    ],
    button: { label: 'Open the work order', url },
  }),
  work_order_due: ({ title, machine, priority, dueAt, isOverdue, url, timeZone }) => ({
    subject: `${isOverdue ? 'Overdue' : 'Due soon'}: ${sanitizeName(title)}`,
    paragraphs: [
      `The work order “${title}” on ${machine} ${isOverdue ? 'was' : 'is'} due on ${when(dueAt ?? '', timeZone)}. Its priority is ${priority}.`,
    ],
    button: { label: 'Open the work order', url },
  }),
  note_mention: ({ author, subject, text, startAt, url, timeZone }) => ({
    subject: `${sanitizeName(author)} mentions you in a note about ${sanitizeName(subject)}`,
    paragraphs: [`${sanitizeName(author)} mentions you in a note about ${subject}, ${when(startAt, timeZone)}:`, text],
    button: { label: 'Open the note', url },
  }),
  maintenance_reminder: ({ title, machine, startAt, endAt, isOverrun, url, timeZone }) =>
    isOverrun
      ? {
          subject: `Maintenance still in progress: ${sanitizeName(title)}`,
          paragraphs: [
            `The maintenance “${title}” on ${machine} was planned until ${when(endAt, timeZone)} and is still in progress.`,
            'Until it is completed or cancelled, alerts of this machine send no notifications.',
          ],
          button: { label: 'Open the maintenance', url },
        }
      : {
          subject: `Maintenance ahead: ${sanitizeName(title)}`,
          paragraphs: [`The maintenance “${title}” on ${machine} starts on ${when(startAt, timeZone)}.`],
          button: { label: 'Open the maintenance', url },
        },
  report: (r) => {
    const { range, startDay, moment, number, value, duration, difference, figure } = reportWriter(r)
    const production = productionParts(r.production, { number, moment }, PRODUCTION)
    const kind = { daily: 'Daily', weekly: 'Weekly', monthly: 'Monthly' }[r.schedule]
    const raised = r.alerts.critical + r.alerts.warning + r.alerts.info
    return {
      subject: `${kind} report of ${sanitizeName(r.tenant)}: ${range}`,
      paragraphs: [
        raised === 0
          ? `No alerts at ${r.tenant}, ${range}.`
          : `${number(raised)} ${raised === 1 ? 'alert' : 'alerts'} at ${r.tenant}, ${range}: ${number(r.alerts.critical)} critical, ${number(r.alerts.warning)} warning, ${number(r.alerts.info)} info. ${number(r.alerts.unacknowledged)} not acknowledged, ${number(r.alerts.standing)} still active.`,
        ...(r.before
          ? [
              `Compared with the ${PERIODS[r.schedule]} before: ${difference(r.alerts.critical, r.before.critical)} critical, ${difference(r.alerts.warning, r.before.warning)} warning, ${difference(r.alerts.info, r.before.info)} info.`,
            ]
          : []),
        ...production.paragraphs,
        'The machines now:',
      ],
      figures: [
        figure('healthy', r.fleet.healthy, 'good'),
        figure('warning', r.fleet.warning, 'warning'),
        figure('critical', r.fleet.critical, 'critical'),
        figure('offline', r.fleet.offline, 'plain'),
      ],
      tables: [
        {
          title: 'Machines with the most alerts',
          columns: [
            { name: 'Machine', share: 5, isTitle: true },
            { name: 'Location', share: 4 },
            { name: 'Alerts', share: 1.5, isNumber: true },
            { name: 'Critical', share: 1.5, isNumber: true },
          ],
          rows: r.machines.map((m) => [m.name, m.location ?? '', number(m.alerts), number(m.critical)]),
          none: 'None.',
        },
        {
          title: raised > r.latest.length ? `The latest ${r.latest.length} alerts` : 'Alerts',
          columns: [
            { name: 'Time', share: 2.4 },
            { name: 'Machine', share: 3.6, isTitle: true },
            { name: 'Severity', share: 1.7 },
            { name: 'Metric', share: 2.8 },
            { name: 'Value', share: 2.3, isNumber: true },
            { name: 'Threshold', share: 2, isNumber: true },
            { name: 'Duration', share: 1.8, isNumber: true },
            { name: 'Seen', share: 1.1 },
          ],
          rows: r.latest.map((a) => [
            moment(a.at),
            a.machine,
            a.severity,
            a.metric,
            value(a.value, a.unit),
            value(a.threshold, a.unit),
            a.durationSeconds === null ? 'still active' : duration(a.durationSeconds),
            a.isAcknowledged ? 'yes' : 'no',
          ]),
          none: 'None in this time.',
        },
        ...production.tables,
        ...predictionTables(r.predictions, { number }, PREDICTIONS),
      ],
      button: { label: 'Open Haltless', url: r.url },
      footnote: `Times are in ${r.timeZone}. You get this because a report was scheduled in Haltless, under your settings.`,
      pdf: {
        name: `haltless-${r.schedule}-${startDay}.pdf`,
        unknownLetters: 'Letters that this document cannot show stand as a box; the mail itself shows them.',
      },
    }
  },
}
