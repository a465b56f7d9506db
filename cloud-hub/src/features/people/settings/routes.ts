import { conversions, DEFAULT_UNIT_PREFERENCES } from '@haltless/protocol'
import type { TenantScope } from '../../../db/scope.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import { emailPrefs } from '../../mails/index.ts'
import { COOKIE_HEADER, currentUser, endOtherSessions, TokenAnswer, tokenResponse } from '../accounts/index.ts'
import { recordEvent } from '../audit/index.ts'
import { limitsOf, NEAR, shareOf, standardsOf } from '../limits/index.ts'
import { changePassword } from './change-password.ts'
import { changeProfile } from './change-profile.ts'
import type { SettingsDeps } from './deps.ts'
import {
  changeEmailPrefs,
  changeUnitPreferences,
  lockCaller,
  lockTenant,
  type ReportSettings as Reports,
  reportSettings,
  unitPreferences,
} from './preferences.ts'
import {
  EmailPrefs,
  EmailPrefsPatch,
  PasswordChange,
  Profile,
  ProfilePatch,
  ReportSettings,
  ReportSettingsPatch,
  SecuritySettings,
  SecuritySettingsPatch,
  SupportedUnits,
  TenantLimits,
  UnitSettings,
  UnitSettingsPatch,
} from './schemas.ts'
import { changeSecuritySettings, securitySettings } from './security.ts'

const route = routeFor<TenantScope>()
const tag = 'Authentication and account'

const withEmailVersion = versionedBy(EmailPrefsPatch)
const presentEmailPrefs = (prefs: Record<string, boolean>) => withEmailVersion({ prefs })
const currentEmailPrefs = async (scope: TenantScope) =>
  presentEmailPrefs(await scope.tx((sql) => emailPrefs(sql, scope.tenantId)))

const withSecurityVersion = versionedBy(SecuritySettingsPatch)
const currentSecurity = async (scope: TenantScope) =>
  withSecurityVersion(await scope.tx((sql) => securitySettings(sql, scope.tenantId)))

const withReportVersion = versionedBy(ReportSettingsPatch)
const presentReports = ({ schedule, emails }: Reports) => withReportVersion({ report_schedule: schedule, report_emails: emails })
const currentReports = async (scope: TenantScope) => presentReports(await reportSettings(scope))

const withUnitVersion = versionedBy(UnitSettingsPatch)
const presentUnits = (unit_preferences: Record<string, string>) => withUnitVersion({ unit_preferences })
/** The units of the tenant, as `GET /settings/units` answers. */
export const currentUnits = async (scope: TenantScope) =>
  presentUnits(await scope.tx((sql) => unitPreferences(sql, scope.tenantId)))

export const settingsRoutes = (deps: SettingsDeps, standards = standardsOf(deps.config.attachments.tenantBytes)) => [
  route(
    {
      method: 'patch',
      path: '/settings/profile',
      operation: 'updateProfile',
      access: 'any',
      tag,
      summary: 'Change your own profile',
      description:
        'Changes the given fields of the signed-in user. An empty string clears `phone`, `timezone` and `locale`. A new `email` needs `current_password`; the old address is informed by mail.',
      body: ProfilePatch,
      changes: { lock: lockCaller, current: currentUser },
      returns: Profile,
      refuses: {
        403: ['password_wrong', 'password_not_set'],
        409: ['email_taken'],
        429: ['login_locked', 'sending_limit'],
        503: ['busy'],
      },
    },
    async ({ scope, body }) => {
      await changeProfile(deps, scope, body)
      return currentUser(scope)
    },
  ),
  route(
    {
      method: 'post',
      path: '/settings/change-password',
      operation: 'changePassword',
      holdsSecrets: true,
      answerHeaders: COOKIE_HEADER,
      access: 'any',
      tag,
      summary: 'Change your password; all other sessions and your access tokens end',
      description:
        'Ends all sessions of the user, the current one included, revokes the personal access tokens, and answers a fresh access token with a new refresh cookie to go on with. Wrong passwords count towards the lockout.',
      body: PasswordChange,
      returns: TokenAnswer,
      refuses: { 403: ['password_wrong', 'password_not_set'], 429: ['login_locked'], 503: ['busy'] },
    },
    async ({ scope, body, caller }) =>
      tokenResponse(await changePassword(deps, scope, body.current_password, body.new_password), caller),
  ),
  route(
    {
      method: 'post',
      path: '/settings/logout-other-sessions',
      operation: 'endOtherSessions',
      access: 'any',
      tag,
      summary: 'End all your sessions but this one',
      description: 'Access tokens and refresh cookies of all other sessions of the user stop working at once.',
      returns: null,
    },
    async ({ scope }) => {
      await endOtherSessions(scope)
      await scope.tx((sql) => recordEvent(sql, scope.tenantId, scope.actor, 'user.other_sessions_ended'))
      return undefined
    },
  ),
  route(
    {
      method: 'get',
      path: '/settings/email-notifications',
      operation: 'getEmailNotificationSettings',
      access: 'any',
      tag,
      summary: 'Which mails the tenant sends to its users',
      description:
        'The mails about account changes and work that the tenant sends to its users: `work_order_assigned` on assignment, `work_order_due` a day before the due date and when it has passed, `maintenance_reminder` a day and an hour before maintenance, and when it takes an hour longer than planned, `note_mention` when a note mentions the user. All are on until somebody switches one off.',
      returns: EmailPrefs,
    },
    ({ scope }) => currentEmailPrefs(scope),
  ),
  route(
    {
      method: 'patch',
      path: '/settings/email-notifications',
      operation: 'updateEmailNotificationSettings',
      access: 'admin',
      tag,
      summary: 'Switch mails on or off; what is not named stays',
      description: 'Merges: a mail that is not named stays as it is. Invitations and password resets are always sent.',
      body: EmailPrefsPatch,
      changes: { lock: lockTenant, current: currentEmailPrefs },
      returns: EmailPrefs,
    },
    async ({ scope, body }) => presentEmailPrefs(await changeEmailPrefs(scope, body.prefs)),
  ),
  route(
    {
      method: 'get',
      path: '/settings/security',
      operation: 'getSecuritySettings',
      access: 'any',
      tag,
      summary: 'Whether the tenant requires two-factor sign-in',
      description: 'Rules of the tenant for the sign-in of all its users.',
      returns: SecuritySettings,
    },
    ({ scope }) => currentSecurity(scope),
  ),
  route(
    {
      method: 'patch',
      path: '/settings/security',
      operation: 'updateSecuritySettings',
      access: 'admin',
      tag,
      summary: 'Require two-factor sign-in of all users, or not',
      description:
        'With `require_mfa`, a session that began with a password and whose user has no second factor reaches only its set-up, `GET /auth/me` and `POST /auth/logout`; everything else answers 403 `mfa_setup_required`, also to the admin who switched it on. Sessions through SSO count as satisfied, because the provider asks for the second factor. It takes effect at the next request; API keys and agents are not concerned.',
      body: SecuritySettingsPatch,
      changes: { lock: lockTenant, current: currentSecurity },
      returns: SecuritySettings,
    },
    async ({ scope, body }) => withSecurityVersion(await changeSecuritySettings(scope, body)),
  ),
  route(
    {
      method: 'get',
      path: '/settings/limits',
      operation: 'getTenantLimits',
      access: 'admin',
      tag,
      summary: 'What the tenant may have, and has',
      description:
        'The operator of the hub sets limits for each tenant. At a limit nothing is deleted: what would add more is refused with 409 `tenant_limit`, an upload with `attachment_quota`, and readings of a new series one by one with the code `series_limit`. Deactivated machines and users do not count.',
      returns: TenantLimits,
    },
    async ({ scope }) => ({
      limits: ((await scope.read((sql) => limitsOf(sql, scope.tenantId, standards))) ?? []).map((use) => ({
        kind: use.kind,
        used: use.used,
        limit: use.limit,
        is_near: shareOf(use) >= NEAR,
      })),
    }),
  ),
  route(
    {
      method: 'get',
      path: '/settings/report-schedule',
      operation: 'getReportSchedule',
      access: 'any',
      tag,
      summary: 'Your report schedule',
      description: 'When and to whom the hub mails reports for the signed-in user. Every user has a schedule of their own.',
      returns: ReportSettings,
    },
    ({ scope }) => currentReports(scope),
  ),
  route(
    {
      method: 'patch',
      path: '/settings/report-schedule',
      operation: 'updateReportSchedule',
      access: 'any',
      tag,
      summary: 'Change your report schedule; null switches reports off',
      description:
        'Reports are mailed at 7 in the morning in the `timezone` of the user (see `/settings/profile`; without one UTC): each day, on Mondays, or on the first of the month. They cover the day, week or month before, carry a PDF, and are written in the `locale` of the user (English or German). Without `report_emails` they go to the user.',
      body: ReportSettingsPatch,
      changes: { lock: lockCaller, current: currentReports },
      returns: ReportSettings,
    },
    async ({ scope, body }) =>
      presentReports(await reportSettings(scope, { schedule: body.report_schedule, emails: body.report_emails })),
  ),
  route(
    {
      method: 'get',
      path: '/settings/units',
      operation: 'getUnitSettings',
      access: 'any',
      tag,
      summary: "The tenant's units, for display",
      description: 'The units in which clients show values. The hub stores and answers readings in the unit they came in.',
      returns: UnitSettings,
    },
    ({ scope }) => currentUnits(scope),
  ),
  route(
    {
      method: 'patch',
      path: '/settings/units',
      operation: 'updateUnitSettings',
      access: 'operator',
      tag,
      summary: "Change the tenant's units; what is not named stays",
      description: 'Merges: a category that is not named stays as it is. Nothing that is stored changes.',
      body: UnitSettingsPatch,
      changes: { lock: lockTenant, current: currentUnits },
      returns: UnitSettings,
    },
    async ({ scope, body }) => presentUnits(await changeUnitPreferences(scope, body.unit_preferences)),
  ),
  route(
    {
      method: 'get',
      path: '/units/supported',
      operation: 'listSupportedUnits',
      access: 'none',
      tag,
      summary: 'Units that convert into each other, and the default ones',
      description:
        'Every ordered pair of convertible units of a category, with factor and offset, and the units that a tenant shows until it chooses others. Readings may carry any other unit label too.',
      returns: SupportedUnits,
    },
    async () => ({ conversions: conversions(), default_preferences: { ...DEFAULT_UNIT_PREFERENCES } }),
  ),
]
