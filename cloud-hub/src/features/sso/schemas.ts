import { Instant, text } from '../../support/http/shapes.ts'
import { z } from '../../support/http/z.ts'

/** A host name with at least two labels, in lower case. */
const Domain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/,
    'must be a domain such as example.com, without @ or https://',
  )
  .openapi({ example: 'example.com' })

export const SsoConfigCreate = z
  .object({
    provider_name: text(100),
    client_id: text(255),
    client_secret: text(1_000),
    discovery_url: text(2_048).openapi({
      description: "The provider's issuer, or its address that ends in /.well-known/openid-configuration",
    }),
    domain: Domain,
  })
  .openapi('SsoConfigCreate')
export const SsoConfigPatch = SsoConfigCreate.partial().openapi('SsoConfigPatch')
export const SsoConfigBody = z
  .object({
    provider_name: z.string(),
    client_id: z.string(),
    discovery_url: z.string(),
    domain: z.string(),
    redirect_uri: z.string().openapi({ description: 'register this at the provider' }),
    created_at: Instant,
    updated_at: Instant,
  })
  .openapi('SsoConfig')

export const SsoCheckQuery = z.object({ email: z.string().min(3).max(254).includes('@', { error: 'must be an e-mail address' }) })
export const SsoCheckAnswer = z
  .object({ sso_enabled: z.boolean(), provider_name: z.string().nullable(), authorization_url: z.string().nullable() })
  .openapi('SsoCheck')
export const SsoExchangeBody = z.object({ code: z.string().min(1).max(200) }).openapi('SsoExchange')
