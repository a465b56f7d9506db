import ipaddr from 'ipaddr.js'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Id, Instant, pathId, text } from '../../../support/http/shapes.ts'
import { invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'
import { Reauthentication, TOKEN_SCOPES } from '../accounts/index.ts'

/** The longest life of a token. */
export const MAX_DAYS = 365

const Scope = z.enum(TOKEN_SCOPES).openapi('TokenScope', {
  description:
    'An area and a verb. `write` does not contain `read`. Each operation names the scope that it needs. The role of the account bounds all of them.',
})

/** IPv4 in four decimal parts only: ipaddr.js also reads `10` as 0.0.0.10, and hexadecimal and octal parts. */
const isRange = (range: string) =>
  range.includes('/')
    ? ipaddr.IPv4.isValidCIDRFourPartDecimal(range) || ipaddr.IPv6.isValidCIDR(range)
    : ipaddr.IPv4.isValidFourPartDecimal(range) || ipaddr.IPv6.isValid(range)

export const TokenCreate = z
  .object({
    name: text(200).describe('What the token is for, such as the program that uses it.'),
    scopes: z
      .array(Scope)
      .min(1)
      .max(TOKEN_SCOPES.length)
      .openapi({ description: 'What the token may do. It never changes.', example: ['machines:read', 'work:write'] }),
    expires_in_days: z
      .int()
      .min(1)
      .max(MAX_DAYS)
      .default(90)
      .describe(`Days until it expires, 1 to ${MAX_DAYS}. Mails come 14 and 2 days before.`),
    group_ids: z
      .array(Id)
      .min(1)
      .max(20)
      .nullish()
      .describe(
        'Only machines of these groups and of the groups below them. Requests must then name such a machine, or `group_id`. Null or absent: all machines.',
      ),
    source_addresses: z
      .array(z.string().max(50).refine(isRange, invalid('invalid_address_range')))
      .min(1)
      .max(20)
      .nullish()
      .openapi({
        description: 'Addresses or CIDR ranges from which the token is valid. Null or absent: all.',
        example: ['192.0.2.0/24'],
      }),
    ...Reauthentication.shape,
  })
  .openapi('TokenCreate', {
    example: { name: 'nightly export', scopes: ['machines:read', 'readings:read'], expires_in_days: 90, group_ids: null },
  })

const tokenExample = {
  name: 'nightly export',
  token_prefix: 'ht_1a2b3c4d_***',
  owner_name: 'Ada Admin',
  is_service_account: false,
  scopes: ['machines:read', 'readings:read'],
  group_ids: null,
  source_addresses: null,
  status: 'active',
  last_used_at: null,
  revoked_at: null,
}

export const TokenBody = z
  .object({
    id: Id.describe('Identifies the token: the `access_token_id` of paths.'),
    name: z.string().describe('What the token is for.'),
    token_prefix: z.string().describe('The public beginning of the token; the secret rest is `***`.'),
    owner_id: Id.describe('The user or service account that the token acts as.'),
    owner_name: z.string().describe('The name of that account.'),
    is_service_account: z.boolean().describe('Whether the owner is a service account.'),
    scopes: z.array(z.string()).describe('What the token may do.'),
    group_ids: z.array(Id).nullable().describe('Only machines of these groups and of those below them; null: all machines.'),
    source_addresses: z.array(z.string()).nullable().describe('Where the token is valid from; null: everywhere.'),
    status: z.enum(['active', 'expired', 'revoked']).describe('Whether the token can be used, if its owner is active.'),
    created_at: Instant.describe('When the token was created.'),
    expires_at: Instant.describe('When the token expires.'),
    last_used_at: Instant.nullable().describe(
      'When a request with the token last passed, to about a minute; null before. Refused ones do not count.',
    ),
    revoked_at: Instant.nullable().describe('When the token was revoked; null if it was not.'),
  })
  .openapi('ProgramToken', { example: tokenExample })
export const CreatedToken = z
  .object({
    ...TokenBody.shape,
    token: z.string().describe('The full secret. It is shown this once; the hub stores only a hash of it.'),
  })
  .openapi('CreatedProgramToken', {
    example: { ...tokenExample, token: 'ht_1a2b3c4d_Zk9wQ2xvdWRIdWItZXhhbXBsZS1ub3QtYS10b2tlbi0' },
  })
export const TokenParams = z.object({ access_token_id: pathId('access token').describe('The token, from `GET /tokens`.') })

const Responsible = Id.describe('The person who answers for the account, and gets the mails about its tokens.')
export const ServiceAccountCreate = z
  .object({
    name: text(200).describe('The name that others see, such as the program.'),
    role: text(200).openapi({ description: '`admin`, `operator`, `viewer` or the `key` of a custom role.' }),
    responsible_id: Responsible.optional().describe('The person who answers for the account; by default you.'),
  })
  .openapi('ServiceAccountCreate', { example: { name: 'MES interface', role: 'operator' } })
export const ServiceAccountPatch = z
  .object({
    name: ServiceAccountCreate.shape.name.optional(),
    role: ServiceAccountCreate.shape.role.optional(),
    responsible_id: Responsible.optional(),
    is_active: z.boolean().optional().describe('False ends all its tokens at once, and true lets them work again.'),
  })
  .openapi('ServiceAccountPatch', { example: { name: 'MES interface', role: 'viewer' } })
export const ServiceAccountBody = z
  .object({
    id: Id.describe('Identifies the account; it is a user without a password, and stands in `GET /users` too.'),
    name: z.string().describe('The name that others see.'),
    role: z.string().describe('`admin`, `operator`, `viewer`, or the `key` of a custom role.'),
    responsible_id: Id.nullable().describe('The person who answers for the account; null when nobody was named.'),
    is_active: z.boolean().describe('False after deactivation; then no token of the account works.'),
    active_tokens: z.int().describe('Tokens that can be used.'),
    last_used_at: Instant.nullable().describe('When one of its tokens was last used, to about a minute; null before.'),
    created_at: Instant.describe('When the account was created.'),
    version: RecordVersion,
  })
  .openapi('ServiceAccount', {
    example: { name: 'MES interface', role: 'operator', is_active: true, active_tokens: 0, last_used_at: null },
  })
export const ServiceAccountParams = z.object({
  service_account_id: pathId('service account').describe('The account, from `GET /service-accounts`.'),
})
