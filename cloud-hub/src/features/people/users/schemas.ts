import { isStorableText } from '@haltless/protocol'
import { BASE_TIERS } from '../../../db/enums.ts'
import { AccountEmail, Email } from '../../../support/http/email-address.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, pathId, Timezone, text } from '../../../support/http/shapes.ts'
import { invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'
import { NewPassword } from '../accounts/index.ts'
import { Locale, Phone } from '../settings/index.ts'

export const USER_STATUSES = ['active', 'invited', 'deactivated'] as const

export const UserBody = z
  .object({
    id: Id.describe('Identifies the user: the `user_id` of paths and of other answers.'),
    email: z.string().describe('The address that the user signs in with.'),
    full_name: z.string().describe('The name that others see.'),
    is_service_account: z
      .boolean()
      .describe('A service account: programs act as it with access tokens, and nobody signs in as it.'),
    role: z.string().describe('`admin`, `operator`, `viewer`, or the `key` of a custom role.'),
    is_active: z.boolean().describe('False after deactivation; such a user cannot sign in.'),
    status: z
      .enum(USER_STATUSES)
      .describe('`invited` until the user has set a password, `deactivated` while `is_active` is false, else `active`.'),
    mfa_enabled: z.boolean().describe('Whether sign-in asks for a second factor.'),
    phone: z.string().nullable().describe('Telephone number; null when none is given.'),
    timezone: z.string().nullable().describe('IANA time zone of the mails to this user; null means UTC.'),
    locale: z.string().nullable().describe('Language tag of the mails to this user; null means English.'),
    last_login_at: Instant.nullable().describe('When the user last signed in; null before the first time.'),
    created_at: Instant.describe('When the user was created or invited.'),
    version: RecordVersion,
  })
  .openapi('User', {
    example: {
      email: 'olga@example.com',
      full_name: 'Olga Operator',
      is_service_account: false,
      role: 'operator',
      mfa_enabled: false,
      phone: null,
      timezone: 'Europe/Berlin',
      locale: 'de',
      last_login_at: null,
    },
  })
export const DirectoryEntry = z
  .object({
    id: UserBody.shape.id,
    full_name: UserBody.shape.full_name,
    is_active: UserBody.shape.is_active,
    is_service_account: UserBody.shape.is_service_account,
  })
  .openapi('DirectoryEntry', { example: { full_name: 'Olga Operator', is_active: true, is_service_account: false } })
export const UserParams = z.object({ user_id: pathId('user').describe('The user, from `GET /users`.') })

const RoleKey = text(200).openapi({ description: '`admin`, `operator`, `viewer` or the `key` of a custom role.' })
const FullName = text(200).describe('The name that others see.')
export const UserCreate = z
  .object({
    email: Email.describe('The address that the user signs in with. It must be new on this hub; case does not matter.'),
    password: NewPassword,
    full_name: FullName,
    role: RoleKey,
  })
  .openapi('UserCreate', {
    example: { email: 'olga@example.com', password: 'Correct-horse-7', full_name: 'Olga Operator', role: 'operator' },
  })
export const InvitationCreate = z
  .object({
    email: Email.describe('The address that the invitation goes to and that the user signs in with. It must be new on this hub.'),
    full_name: FullName,
    role: RoleKey,
    locale: Locale.optional().describe('Language tag of the mails to this user; English without one.'),
  })
  .openapi('InvitationCreate', {
    example: { email: 'vera@example.com', full_name: 'Vera Viewer', role: 'viewer', locale: 'de' },
  })
export const UserPatch = z
  .object({
    full_name: FullName.optional(),
    email: Email.optional().describe(
      'The new address for signing in. It must be new on this hub; the old address is notified. Your own needs `current_password`.',
    ),
    current_password: z
      .string()
      .max(1_000)
      .optional()
      .describe('Your own password; required to change your own `email`, otherwise ignored.'),
    phone: z
      .union([z.literal('').transform(() => null), Phone, z.null()])
      .optional()
      .describe('Telephone number; null or an empty string clears it.'),
    timezone: z
      .union([z.literal('').transform(() => null), Timezone, z.null()])
      .optional()
      .describe('IANA time zone such as `Europe/Berlin`; null or an empty string clears it.'),
    locale: z
      .union([z.literal('').transform(() => null), Locale, z.null()])
      .optional()
      .describe('Language tag such as `de-AT`; null or an empty string clears it.'),
    is_active: z
      .boolean()
      .optional()
      .describe('False deactivates the user and ends all sessions and personal access tokens, true reactivates.'),
  })
  .openapi('UserPatch', { example: { full_name: 'Olga Operator', timezone: 'Europe/Berlin' } })
export const RolePut = z.object({ role: RoleKey }).openapi('UserRole', { example: { role: 'operator' } })

const BaseTier = z
  .enum(BASE_TIERS, { error: `must be one of ${BASE_TIERS.join(', ')}` })
  .describe('The built-in role whose rights the role has.')
export const RoleBody = z
  .object({
    key: z.string().describe('Names the role in `role` fields and paths; it never changes.'),
    name: z.string().describe('The name that people see.'),
    base_tier: BaseTier,
    is_builtin: z.boolean().describe('True for `admin`, `operator` and `viewer`, which cannot be renamed or deleted.'),
    member_count: z.int().describe('How many users have the role, deactivated ones included.'),
    version: RecordVersion,
  })
  .openapi('Role', {
    example: { key: 'line-lead', name: 'Line lead', base_tier: 'operator', is_builtin: false, member_count: 0 },
  })
export const RoleCreate = z
  .object({
    name: text(200)
      .refine((name) => /[\p{L}\p{N}]/u.test(name), invalid('no_letter_or_digit'))
      .describe('The name that people see, unique in the tenant; it holds a letter or a digit.'),
    base_tier: BaseTier,
  })
  .openapi('RoleCreate', { example: { name: 'Line lead', base_tier: 'operator' } })
export const RolePatch = z
  .object({ name: RoleCreate.shape.name.optional() })
  .openapi('RolePatch', { example: { name: 'Shift lead' } })
export const RoleParams = z.object({
  key: z
    .string()
    .min(1)
    .max(200)
    .refine(isStorableText, 'no such role')
    .openapi({ description: 'The `key` of the role, from `GET /settings/roles`.', example: 'line-lead' }),
})

const LinkToken = z.string().min(1).max(200).describe('The `token` of the mailed link. It works once.')
const linkExample = { token: 'bm90LWEtcmVhbC10b2tlbg', password: 'Correct-horse-8' }
export const InvitationAccept = z
  .object({ token: LinkToken, password: NewPassword })
  .openapi('InvitationAccept', { example: linkExample })
export const PasswordResetRequest = z
  .object({ email: AccountEmail.describe('The address of the account; case does not matter.') })
  .openapi('PasswordResetRequest', { example: { email: 'ada@example.com' } })
export const PasswordResetConfirm = z
  .object({ token: LinkToken, password: NewPassword })
  .openapi('PasswordResetConfirm', { example: linkExample })
