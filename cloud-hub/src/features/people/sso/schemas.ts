import { canonicalDomain, canonicalEmail } from '../../../support/canonical-email.ts'
import { RecordVersion } from '../../../support/http/record-version.ts'
import { Instant, text } from '../../../support/http/shapes.ts'
import { invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'
import { Reauthentication } from '../accounts/index.ts'

/** A host name with at least two labels, in lower case. */
const Domain = z
  .string()
  .trim()
  .toLowerCase()
  .overwrite(canonicalDomain)
  .max(253)
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/,
    invalid('invalid_domain', {}, 'must be a domain such as example.com, without @ or https://'),
  )
  .openapi({
    description:
      'The part after the @ of the addresses that sign in here, such as `example.com`; stored in ASCII. One tenant has it.',
  })

const texts = {
  provider_name: 'The name of the provider on the sign-in page.',
  client_id: 'The id that the provider gave this hub.',
  discovery_url:
    'The issuer of the provider, or its address that ends in `/.well-known/openid-configuration`; HTTPS on a public host.',
  trust_email:
    'Whether an address counts as verified where the provider says nothing about it, as Microsoft Entra ID does; false by default. It needs a proven domain, and an issuer of one organisation: Google, `common`, `organizations` and `consumers` of Microsoft, and gitlab.com are refused.',
}
const configExample = {
  provider_name: 'Example ID',
  client_id: 'haltless',
  discovery_url: 'https://id.example.com/.well-known/openid-configuration',
  domain: 'example.com',
}
export const SsoConfigCreate = z
  .object({
    provider_name: text(100).describe(texts.provider_name),
    client_id: text(255).describe(texts.client_id),
    client_secret: text(1_000).describe('The secret that goes with `client_id`. It is stored encrypted and never answered.'),
    discovery_url: text(2_048).describe(texts.discovery_url),
    domain: Domain,
    trust_email: z.boolean().optional().describe(texts.trust_email),
    ...Reauthentication.shape,
  })
  .openapi('SsoConfigCreate', { example: { ...configExample, client_secret: 'not-a-real-secret', trust_email: false } })
export const SsoConfigPatch = SsoConfigCreate.partial().openapi('SsoConfigPatch', { example: { provider_name: 'Example ID' } })
export const SsoConfigBody = z
  .object({
    provider_name: z.string().describe(texts.provider_name),
    client_id: z.string().describe(texts.client_id),
    discovery_url: z.string().describe(texts.discovery_url),
    domain: z.string().describe('The part after the @ of the addresses that sign in here.'),
    domain_verified: z
      .boolean()
      .describe('Whether the domain is proven to be yours. Until then, users cannot sign in through the provider.'),
    trust_email: z.boolean().describe(`${texts.trust_email} A change of the domain ends it.`),
    domain_challenge: z
      .object({
        type: z.literal('TXT').describe('The type of the DNS record.'),
        name: z.string().describe('The name of the DNS record.'),
        value: z.string().describe('The text of the DNS record.'),
      })
      .describe('The DNS record that proves the domain; publish it, then call `POST /auth/sso/config/verify-domain`.'),
    redirect_uri: z.string().describe('Where the provider sends users back to; register it there.'),
    created_at: Instant.describe('When the configuration was created.'),
    updated_at: Instant.describe('When it was last changed.'),
    version: RecordVersion,
  })
  .openapi('SsoConfig', {
    example: {
      ...configExample,
      domain_verified: false,
      trust_email: false,
      domain_challenge: {
        type: 'TXT',
        name: '_haltless-challenge.example.com',
        value: 'haltless-domain-verification=5f0c6a1e8d2b4f7a9c3e',
      },
      redirect_uri: 'https://hub.example.com/api/v1/auth/sso/callback',
    },
  })

export const SsoCheckQuery = z.object({
  email: z
    .string()
    .min(3)
    .max(254)
    .overwrite(canonicalEmail)
    .includes('@', invalid('invalid_email'))
    .openapi({ description: 'The address that the user signs in with; its domain decides.', example: 'ada@example.com' }),
})
export const SsoCheckAnswer = z
  .object({
    sso_enabled: z.boolean().describe('Whether the domain of the address signs in through a provider.'),
    provider_name: z.string().nullable().describe('The name of the provider; null without one.'),
    authorization_url: z
      .string()
      .nullable()
      .describe('Where to send the browser; null without a provider. It works once, for 10 minutes.'),
  })
  .openapi('SsoCheck', { example: { sso_enabled: false, provider_name: null, authorization_url: null } })
export const SsoExchangeBody = z
  .object({ code: z.string().min(1).max(200).describe('The `code` of the redirect to `/sso`. It works once, for 60 seconds.') })
  .openapi('SsoExchange', { example: { code: 'bm90LWEtcmVhbC1jb2Rl' } })
