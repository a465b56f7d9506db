import { SUBSCRIPTION_STATUSES, SUBSCRIPTION_TIERS } from '../../../db/subscriptions.ts'
import { AccountEmail, Email } from '../../../support/http/email-address.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, pathId, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'
import { NewPassword } from './passwords.ts'

export const RegisterBody = z
  .object({
    email: Email.describe('The address that the admin signs in with. It must be new on this hub; case does not matter.'),
    password: NewPassword,
    full_name: text(200).describe('The name of the admin, as others see it.'),
    tenant_name: text(200).describe('The name of the company or plant that the tenant stands for.'),
  })
  .openapi('Register', {
    example: { email: 'ada@example.com', password: 'Correct-horse-7', full_name: 'Ada Admin', tenant_name: 'Acme' },
  })
export const LoginBody = z
  .object({
    email: AccountEmail.describe('The e-mail address of the account; case does not matter.'),
    password: z.string().min(1).max(1_000).describe('The password of the account.'),
  })
  .openapi('Login', { example: { email: 'ada@example.com', password: 'Correct-horse-7' } })

export const TokenAnswer = z
  .object({
    access_token: z
      .string()
      .describe(
        'A JWT of 15 minutes for `Authorization: Bearer`. While `mfa_required` is true: the pending token for `POST /auth/mfa/verify`.',
      ),
    token_type: z.literal('bearer').describe('Always `bearer`.'),
    mfa_required: z.boolean().describe('True when a code must follow; the sign-in is not finished then and no cookie is set.'),
  })
  .openapi('Token', { example: { access_token: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIuLi4ifQ.c2ln', mfa_required: false } })

export const CurrentUser = z
  .object({
    id: Id.describe('Identifies the user: the `user_id` of paths and of other answers.'),
    email: z.string().describe('The address that the user signs in with.'),
    full_name: z.string().describe('The name that others see.'),
    tenant_id: Id.describe('The tenant that the user belongs to.'),
    tenant_name: z.string().describe('The name of the tenant: the company or the plant.'),
    role: z.string().describe('`admin`, `operator`, `viewer`, or the `key` of a custom role.'),
    is_active: z.boolean().describe('False after deactivation; such a user cannot sign in.'),
    mfa_enabled: z.boolean().describe('Whether sign-in asks for a second factor.'),
    mfa_setup_required: z
      .boolean()
      .describe(
        'True while the tenant requires a second factor and this session has none: all but its set-up, signing out and this operation answers 403 `mfa_setup_required`.',
      ),
    phone: z.string().nullable().describe('Telephone number; null when none is given.'),
    timezone: z
      .string()
      .nullable()
      .describe('IANA time zone of the mails to this user, such as `Europe/Berlin`; null means UTC.'),
    locale: z.string().nullable().describe('Language tag of the mails to this user, such as `de-AT`; null means English.'),
    onboarding_completed: z
      .boolean()
      .describe('Whether the user has finished the first steps; `PATCH /settings/profile` sets it.'),
    pinned_metrics: z
      .array(z.string())
      .describe(
        'Metrics that overviews show this user first, after those that violate a threshold; `PATCH /settings/profile` sets them.',
      ),
    subscription_status: z
      .enum(SUBSCRIPTION_STATUSES)
      .describe('Of the tenant. With `past_due` and `canceled` agents get 402 from their heartbeat.'),
    subscription_tier: z.enum(SUBSCRIPTION_TIERS).describe('Of the tenant; it decides rate limits where the hub limits by tier.'),
    version: RecordVersion,
  })
  .openapi('CurrentUser', {
    example: {
      email: 'ada@example.com',
      full_name: 'Ada Admin',
      tenant_name: 'Acme',
      role: 'admin',
      mfa_enabled: false,
      mfa_setup_required: false,
      phone: '+49 30 1234567',
      timezone: 'Europe/Berlin',
      locale: 'en',
      onboarding_completed: false,
      pinned_metrics: [],
    },
  })

export const ApiKeyBody = z
  .object({ name: text(200).describe('What the key is for, such as the plant or program that uses it.') })
  .openapi('ApiKeyCreate', { example: { name: 'hall 3' } })
export const CreatedApiKey = z
  .object({
    id: Id.describe('Identifies the key: the `key_id` of paths and of other answers.'),
    name: z.string().describe('What the key is for.'),
    key: z.string().describe('The full secret. It is shown this once; the hub stores only a hash of it.'),
    created_at: Instant.describe('When the key was created.'),
  })
  .openapi('CreatedApiKey', { example: { name: 'hall 3', key: 'hk_1a2b3c4d_Zk9wQ2xvdWRIdWItZXhhbXBsZS1ub3QtYS1rZXk' } })
export const ApiKeyEntry = z
  .object({
    id: Id.describe('Identifies the key: the `key_id` of paths and of other answers.'),
    name: z.string().describe('What the key is for.'),
    key_prefix: z.string().describe('The public beginning of the key; the secret rest is `***`.'),
    is_active: z.boolean().describe('False after revocation.'),
    agent_id: z.string().nullable().describe('The agent whose credential this is; null for an API key.'),
    created_at: Instant.describe('When the key was created.'),
    last_used_at: Instant.nullable().describe(
      'When the key last authenticated a request, to about a minute; null before its first use.',
    ),
  })
  .openapi('ApiKey', { example: { name: 'hall 3', key_prefix: 'hk_1a2b3c4d_***', agent_id: null } })
export const ApiKeyParams = z.object({ key_id: pathId('api key').describe('The API key, from `GET /api-keys`.') })
