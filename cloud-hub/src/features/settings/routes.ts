import { conversions, DEFAULT_UNIT_PREFERENCES } from '@haltless/protocol'
import type { Pools } from '../../db/pools.ts'
import type { TenantScope } from '../../db/scope.ts'
import { routeFor } from '../../support/http/route.ts'
import type { SecretBox } from '../../support/secrets/secret-box.ts'
import { answerGrant, currentUser, endOtherSessions, type SigningKeys, TokenAnswer } from '../accounts/index.ts'
import { emailPrefs } from '../mails/index.ts'
import { changePassword } from './change-password.ts'
import { changeProfile } from './change-profile.ts'
import { changeEmailPrefs, changeUnitPreferences, reportSettings, unitPreferences } from './preferences.ts'
import {
  EmailPrefs,
  EmailPrefsPatch,
  PasswordChange,
  Profile,
  ProfilePatch,
  ReportSettings,
  ReportSettingsPatch,
  SupportedUnits,
  UnitSettings,
  UnitSettingsPatch,
} from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Authentication and account'

export interface SettingsDeps {
  pools: Pools
  keys: SigningKeys
  box: SecretBox
}

const WRONG_PASSWORD = 'The password is wrong, or there is none because the user signs in through SSO'

export const settingsRoutes = (deps: SettingsDeps) => [
  route(
    {
      method: 'patch',
      path: '/settings/profile',
      access: 'any',
      tag,
      summary: 'Change your own profile',
      description: 'An empty string clears `phone`, `timezone` and `locale`. A new `email` asks for `current_password`.',
      body: ProfilePatch,
      returns: Profile,
      refuses: { 403: WRONG_PASSWORD, 409: 'The e-mail address belongs to another account' },
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
      access: 'any',
      tag,
      summary: 'Change your password; all other sessions end',
      body: PasswordChange,
      returns: TokenAnswer,
      refuses: { 403: WRONG_PASSWORD },
    },
    async ({ scope, body, caller }) =>
      answerGrant(await changePassword(deps, scope, body.current_password, body.new_password), caller),
  ),
  route(
    {
      method: 'post',
      path: '/settings/logout-other-sessions',
      access: 'any',
      tag,
      summary: 'End all your sessions but this one',
      returns: null,
    },
    async ({ scope }) => {
      await endOtherSessions(scope)
      return undefined
    },
  ),
  route(
    {
      method: 'get',
      path: '/settings/email-notifications',
      access: 'any',
      tag,
      summary: 'Which mails the tenant sends to its users',
      returns: EmailPrefs,
    },
    async ({ scope }) => ({ prefs: await scope.rawTx((sql) => emailPrefs(sql, scope.tenantId)) }),
  ),
  route(
    {
      method: 'patch',
      path: '/settings/email-notifications',
      access: 'admin',
      tag,
      summary: 'Switch mails on or off; what is not named stays',
      body: EmailPrefsPatch,
      returns: EmailPrefs,
    },
    async ({ scope, body }) => ({ prefs: await changeEmailPrefs(scope, body.prefs) }),
  ),
  route(
    {
      method: 'get',
      path: '/settings/report-schedule',
      access: 'any',
      tag,
      summary: 'Your report schedule',
      returns: ReportSettings,
    },
    async ({ scope }) => presentReports(await reportSettings(scope)),
  ),
  route(
    {
      method: 'patch',
      path: '/settings/report-schedule',
      access: 'any',
      tag,
      summary: 'Change your report schedule; null switches reports off',
      description:
        'Mails come at 7 in the morning of your `timezone` (see `/settings/profile`; without one UTC): each day, on Mondays or on the first of the month, about the day, week or month before, with a PDF, in the language of your `locale` (English or German). Without `report_emails` they come to you.',
      body: ReportSettingsPatch,
      returns: ReportSettings,
    },
    async ({ scope, body }) =>
      presentReports(await reportSettings(scope, { schedule: body.report_schedule, emails: body.report_emails })),
  ),
  route(
    {
      method: 'get',
      path: '/settings/units',
      access: 'any',
      tag,
      summary: "The tenant's units, for display",
      returns: UnitSettings,
    },
    async ({ scope }) => ({ unit_preferences: await scope.rawTx((sql) => unitPreferences(sql, scope.tenantId)) }),
  ),
  route(
    {
      method: 'patch',
      path: '/settings/units',
      access: 'operator',
      tag,
      summary: "Change the tenant's units; what is not named stays",
      body: UnitSettingsPatch,
      returns: UnitSettings,
    },
    async ({ scope, body }) => ({ unit_preferences: await changeUnitPreferences(scope, body.unit_preferences) }),
  ),
  route(
    {
      method: 'get',
      path: '/units/supported',
      access: 'none',
      tag,
      summary: 'Units that convert into each other, and the default ones',
      returns: SupportedUnits,
    },
    async () => ({ conversions: conversions(), default_preferences: { ...DEFAULT_UNIT_PREFERENCES } }),
  ),
]

const presentReports = ({ schedule, emails }: { schedule: 'daily' | 'weekly' | 'monthly' | null; emails: string[] }) => ({
  report_schedule: schedule,
  report_emails: emails,
})
