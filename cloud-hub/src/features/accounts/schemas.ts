import { SUBSCRIPTION_STATUSES, SUBSCRIPTION_TIERS } from '../../db/tables/accounts.ts'
import { Id, Instant, pathId, text } from '../../support/http/shapes.ts'
import { z } from '../../support/http/z.ts'
import { NewPassword } from './passwords.ts'

export const Email = z.email('must be an e-mail address').max(254).openapi({ format: 'email' })

export const RegisterBody = z
  .object({ email: Email, password: NewPassword, full_name: text(255), tenant_name: text(255) })
  .openapi('Register')
export const LoginBody = z.object({ email: z.string().min(1).max(254), password: z.string().min(1).max(1_000) }).openapi('Login')

export const TokenAnswer = z
  .object({ access_token: z.string(), token_type: z.literal('bearer'), mfa_required: z.boolean() })
  .openapi('Token')

export const CurrentUser = z
  .object({
    id: Id,
    email: z.string(),
    full_name: z.string(),
    tenant_id: Id,
    role: z.string(),
    is_active: z.boolean(),
    mfa_enabled: z.boolean(),
    phone: z.string().nullable(),
    timezone: z.string().nullable(),
    locale: z.string().nullable(),
    onboarding_completed: z.boolean(),
    subscription_status: z.enum(SUBSCRIPTION_STATUSES),
    subscription_tier: z.enum(SUBSCRIPTION_TIERS),
  })
  .openapi('CurrentUser')

export const ApiKeyBody = z.object({ name: text(255) }).openapi('ApiKeyCreate')
export const CreatedApiKey = z.object({ id: Id, name: z.string(), key: z.string(), created_at: Instant }).openapi('CreatedApiKey')
export const ApiKeyEntry = z
  .object({
    id: Id,
    name: z.string(),
    key_prefix: z.string().openapi({ example: 'hk_1a2b3c4d_***' }),
    is_active: z.boolean(),
    created_at: Instant,
    last_used_at: Instant.nullable(),
  })
  .openapi('ApiKey')
export const ApiKeyParams = z.object({ key_id: pathId('api key') })
