import { BASE_TIERS } from '../../db/tables/accounts.ts'
import { Id, Instant, pathId, Timezone, text } from '../../support/http/shapes.ts'
import { z } from '../../support/http/z.ts'
import { Email, NewPassword } from '../accounts/index.ts'
import { Locale, Phone } from '../settings/index.ts'

export const USER_STATUSES = ['active', 'invited', 'deactivated'] as const

export const UserBody = z
  .object({
    id: Id,
    email: z.string(),
    full_name: z.string(),
    role: z.string(),
    is_active: z.boolean(),
    status: z.enum(USER_STATUSES),
    mfa_enabled: z.boolean(),
    phone: z.string().nullable(),
    timezone: z.string().nullable(),
    locale: z.string().nullable(),
    last_login_at: Instant.nullable(),
    created_at: Instant,
  })
  .openapi('User')
export const UserParams = z.object({ user_id: pathId('user') })

const RoleKey = text(100).openapi({ description: '`admin`, `operator`, `viewer` or the `key` of a custom role' })
export const UserCreate = z
  .object({ email: Email, password: NewPassword, full_name: text(255), role: RoleKey })
  .openapi('UserCreate')
export const InvitationCreate = z
  .object({ email: Email, full_name: text(255), role: RoleKey, locale: Locale.optional() })
  .openapi('InvitationCreate')
export const UserPatch = z
  .object({
    full_name: text(255).optional(),
    email: Email.optional(),
    phone: z.union([z.literal('').transform(() => null), Phone, z.null()]).optional(),
    timezone: z.union([z.literal('').transform(() => null), Timezone, z.null()]).optional(),
    locale: z.union([z.literal('').transform(() => null), Locale, z.null()]).optional(),
    is_active: z.boolean().optional(),
  })
  .openapi('UserPatch')
export const RolePut = z.object({ role: RoleKey }).openapi('UserRole')

export const RoleBody = z
  .object({
    key: z.string(),
    name: z.string(),
    base_tier: z.enum(BASE_TIERS),
    is_builtin: z.boolean(),
    member_count: z.int(),
  })
  .openapi('Role')
export const RoleCreate = z
  .object({
    name: text(100).refine((name) => /[\p{L}\p{N}]/u.test(name), 'must hold a letter or a digit'),
    base_tier: z.enum(BASE_TIERS, { error: `must be one of ${BASE_TIERS.join(', ')}` }),
  })
  .openapi('RoleCreate')
export const RolePatch = z.object({ name: RoleCreate.shape.name.optional() }).openapi('RolePatch')
export const RoleParams = z.object({ key: z.string().min(1).max(200) })

export const InvitationAccept = z.object({ token: z.string().min(1).max(200), password: NewPassword }).openapi('InvitationAccept')
export const PasswordResetRequest = z.object({ email: z.string().min(1).max(254) }).openapi('PasswordResetRequest')
export const PasswordResetConfirm = z
  .object({ token: z.string().min(1).max(200), password: NewPassword })
  .openapi('PasswordResetConfirm')
