import { UNITS } from '@haltless/protocol'
import { REPORT_SCHEDULES } from '../../../db/enums.ts'
import { Email } from '../../../support/http/email-address.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Timezone, text } from '../../../support/http/shapes.ts'
import { customIssue, invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'
import { EMAIL_TOGGLES } from '../../mails/index.ts'
import { CurrentUser, NewPassword } from '../accounts/index.ts'
import { LIMIT_KINDS, LIMITS } from '../limits/index.ts'

const isLocale = (tag: string) => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/** '' clears the value, like null. */
const clearable = <T extends z.ZodType<string>>(shape: T) =>
  z.union([z.literal('').transform(() => null), shape, z.null()]).optional()

export const Phone = text(50).regex(/^[+0-9()./ -]+$/, invalid('invalid_phone'))
export const Locale = text(35).refine(isLocale, invalid('invalid_language_tag'))

/** A tile shows four readings; machines of other kinds have other metrics. */
const MAX_PINNED = 20
export const ProfilePatch = z
  .object({
    full_name: text(200).optional().describe('The name that others see.'),
    email: Email.optional().describe('The new address for signing in; it needs `current_password` and must be new on this hub.'),
    current_password: z.string().max(1_000).optional().describe('Required with a new `email`, otherwise ignored.'),
    phone: clearable(Phone).describe('Telephone number; null or an empty string clears it.'),
    timezone: clearable(Timezone).describe(
      'IANA time zone of your mails, such as `Europe/Berlin`; null or an empty string means UTC.',
    ),
    locale: clearable(Locale).describe('Language tag of your mails, such as `de-AT`; null or an empty string means English.'),
    onboarding_completed: z
      .boolean()
      .optional()
      .describe('True once you have finished the first steps; `GET /auth/me` answers it.'),
    pinned_metrics: z
      .array(text(100))
      .max(MAX_PINNED, `must hold at most ${MAX_PINNED} metrics`)
      .optional()
      .describe(`Metrics that overviews show you first, at most ${MAX_PINNED}; an empty list pins none.`),
  })
  .openapi('ProfilePatch', {
    example: { full_name: 'Ada Admin', phone: '+49 30 1234567', timezone: 'Europe/Berlin', locale: 'en' },
  })
export const Profile = CurrentUser

export const PasswordChange = z
  .object({
    current_password: z.string().min(1, 'must not be empty').max(1_000).describe('The password that holds until now.'),
    new_password: NewPassword,
  })
  .openapi('PasswordChange', { example: { current_password: 'Correct-horse-7', new_password: 'Correct-horse-8' } })

const unknown = (name: string, known: readonly string[]) => customIssue([name], 'unknown_value', { values: known.join(', ') })
const prefsText = `Which mails are sent, by name: ${EMAIL_TOGGLES.map((name) => `\`${name}\``).join(', ')}.`
export const EmailPrefs = z
  .object({ prefs: z.record(z.string(), z.boolean()).describe(prefsText), version: RecordVersion })
  .openapi('EmailNotifications', { example: { prefs: Object.fromEntries(EMAIL_TOGGLES.map((name) => [name, true])) } })
export const EmailPrefsPatch = z
  .object({
    prefs: z
      .record(z.string(), z.boolean())
      .superRefine((prefs, ctx) => {
        for (const name of Object.keys(prefs))
          if (!(EMAIL_TOGGLES as readonly string[]).includes(name)) ctx.addIssue(unknown(name, EMAIL_TOGGLES))
      })
      .describe(`${prefsText} Another name is refused.`),
  })
  .openapi('EmailNotificationsPatch', { example: { prefs: { role_changed: false } } })

const requireMfaText = 'Whether every user who signs in with a password needs a second factor; false by default.'
export const SecuritySettings = z
  .object({ require_mfa: z.boolean().describe(requireMfaText), version: RecordVersion })
  .openapi('SecuritySettings', { example: { require_mfa: true } })
export const SecuritySettingsPatch = z
  .object({ require_mfa: z.boolean().optional().describe(requireMfaText) })
  .openapi('SecuritySettingsPatch', { example: { require_mfa: true } })

export const TenantLimits = z
  .object({
    limits: z
      .array(
        z.object({
          kind: z
            .enum(LIMIT_KINDS)
            .describe(
              `What is limited: ${LIMIT_KINDS.map((kind) => `\`${kind}\`, ${LIMITS[kind].noun}`).join('; ')}. There may be more kinds later.`,
            ),
          used: z.number().min(0).describe('What the tenant has. It may be more than the limit, where that was lowered later.'),
          limit: z.number().min(0).nullable().describe('What the tenant may have; null: as much as it wants.'),
          is_near: z.boolean().describe('90 % or more of the limit are used.'),
        }),
      )
      .describe('One entry for each kind.'),
  })
  .openapi('TenantLimits', {
    example: {
      limits: [
        { kind: 'machines', used: 120, limit: 20_000, is_near: false },
        { kind: 'attachment_bytes', used: 9_700_000_000, limit: 10_737_418_240, is_near: true },
      ],
    },
  })

export const ReportSettings = z
  .object({
    report_schedule: z.enum(REPORT_SCHEDULES).nullable().describe('How often reports are mailed; null: never.'),
    report_emails: z.array(z.string()).describe('Who gets them; empty: the user.'),
    version: RecordVersion,
  })
  .openapi('ReportSettings', { example: { report_schedule: 'weekly', report_emails: ['plant@example.com'] } })
export const ReportSettingsPatch = z
  .object({
    report_schedule: z
      .enum(REPORT_SCHEDULES, { error: `must be ${REPORT_SCHEDULES.join(', ')} or null` })
      .nullable()
      .optional()
      .describe('How often reports are mailed; null switches them off.'),
    report_emails: z
      .array(Email)
      .max(20, 'must hold at most 20 addresses')
      .optional()
      .describe('Who gets them, at most 20 addresses; empty: the user.'),
  })
  .openapi('ReportSettingsPatch', { example: { report_schedule: 'weekly', report_emails: ['plant@example.com'] } })

const unitsText = `The unit of each category. ${Object.entries(UNITS)
  .map(([category, units]) => `\`${category}\`: ${units.map((unit) => `\`${unit}\``).join(', ')}.`)
  .join(' ')}`
export const UnitSettings = z
  .object({ unit_preferences: z.record(z.string(), z.string()).describe(unitsText), version: RecordVersion })
  .openapi('UnitSettings', { example: { unit_preferences: { temperature: 'celsius', pressure: 'bar', vibration: 'mm/s' } } })
export const UnitSettingsPatch = z
  .object({
    unit_preferences: z
      .record(z.string(), z.string())
      .superRefine((chosen, ctx) => {
        for (const [category, unit] of Object.entries(chosen)) {
          const units: readonly string[] | undefined = Object.hasOwn(UNITS, category)
            ? UNITS[category as keyof typeof UNITS]
            : undefined
          if (!units) ctx.addIssue(unknown(category, Object.keys(UNITS)))
          else if (!units.includes(unit)) ctx.addIssue(customIssue([category], 'one_of', { values: units.join(', ') }))
        }
      })
      .describe(unitsText),
  })
  .openapi('UnitSettingsPatch', { example: { unit_preferences: { pressure: 'psi' } } })

export const SupportedUnits = z
  .object({
    conversions: z
      .array(
        z.object({
          from_unit: z.string().describe('The unit to convert from.'),
          to_unit: z.string().describe('The unit to convert to.'),
          factor: z.number().describe('to = from * factor + offset.'),
          offset: z.number().describe('Added after the multiplication, in `to_unit`.'),
        }),
      )
      .describe('Every ordered pair of convertible units.'),
    default_preferences: z.record(z.string(), z.string()).describe('The unit of each category until a tenant chooses another.'),
  })
  .openapi('SupportedUnits', {
    example: {
      conversions: [{ from_unit: 'celsius', to_unit: 'fahrenheit', factor: 1.8, offset: 32 }],
      default_preferences: { temperature: 'celsius', pressure: 'bar', vibration: 'mm/s' },
    },
  })
