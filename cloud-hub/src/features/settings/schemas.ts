import { UNITS } from '@haltless/protocol'
import { REPORT_SCHEDULES } from '../../db/tables/accounts.ts'
import { Timezone, text } from '../../support/http/shapes.ts'
import { z } from '../../support/http/z.ts'
import { CurrentUser, Email, NewPassword } from '../accounts/index.ts'
import { EMAIL_TOGGLES } from '../mails/index.ts'

const isLocale = (tag: string) => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

/** '' clears, as null does. */
const clearable = <T extends z.ZodType<string>>(shape: T) =>
  z.union([z.literal('').transform(() => null), shape, z.null()]).optional()

export const Phone = text(50).regex(/^[+0-9()./ -]+$/, 'must be a telephone number')
export const Locale = text(35).refine(isLocale, 'must be a language tag such as en or de-AT')

export const ProfilePatch = z
  .object({
    full_name: text(255).optional(),
    email: Email.optional(),
    current_password: z.string().max(1_000).optional(),
    phone: clearable(Phone),
    timezone: clearable(Timezone),
    locale: clearable(Locale),
  })
  .openapi('ProfilePatch')
export const Profile = CurrentUser

export const PasswordChange = z
  .object({ current_password: z.string().min(1, 'must not be empty').max(1_000), new_password: NewPassword })
  .openapi('PasswordChange')

const known = (names: readonly string[]) => `is not known; known are ${names.join(', ')}`
export const EmailPrefs = z.object({ prefs: z.record(z.string(), z.boolean()) }).openapi('EmailNotifications')
export const EmailPrefsPatch = z
  .object({
    prefs: z.record(z.string(), z.boolean()).superRefine((prefs, ctx) => {
      for (const name of Object.keys(prefs))
        if (!(EMAIL_TOGGLES as readonly string[]).includes(name))
          ctx.addIssue({ code: 'custom', path: [name], message: known(EMAIL_TOGGLES) })
    }),
  })
  .openapi('EmailNotificationsPatch')

export const ReportSettings = z
  .object({ report_schedule: z.enum(REPORT_SCHEDULES).nullable(), report_emails: z.array(z.string()) })
  .openapi('ReportSettings')
export const ReportSettingsPatch = z
  .object({
    report_schedule: z
      .enum(REPORT_SCHEDULES, { error: `must be ${REPORT_SCHEDULES.join(', ')} or null` })
      .nullable()
      .optional(),
    report_emails: z.array(Email).max(20, 'must hold at most 20 addresses').optional(),
  })
  .openapi('ReportSettingsPatch')

export const UnitSettings = z.object({ unit_preferences: z.record(z.string(), z.string()) }).openapi('UnitSettings')
export const UnitSettingsPatch = z
  .object({
    unit_preferences: z.record(z.string(), z.string()).superRefine((chosen, ctx) => {
      for (const [category, unit] of Object.entries(chosen)) {
        const units: readonly string[] | undefined = Object.hasOwn(UNITS, category)
          ? UNITS[category as keyof typeof UNITS]
          : undefined
        if (!units) ctx.addIssue({ code: 'custom', path: [category], message: known(Object.keys(UNITS)) })
        else if (!units.includes(unit))
          ctx.addIssue({ code: 'custom', path: [category], message: `must be one of ${units.join(', ')}` })
      }
    }),
  })
  .openapi('UnitSettingsPatch')

export const SupportedUnits = z
  .object({
    conversions: z.array(
      z.object({
        from_unit: z.string(),
        to_unit: z.string(),
        factor: z.number().openapi({ description: 'to = from * factor + offset' }),
        offset: z.number(),
      }),
    ),
    default_preferences: z.record(z.string(), z.string()),
  })
  .openapi('SupportedUnits')
