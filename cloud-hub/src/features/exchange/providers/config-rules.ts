import { X509Certificate } from 'node:crypto'
import { ERP_ENTITIES } from '../../../db/enums.ts'
import { fieldMessage } from '../../../error-codes/field-messages.ts'
import type { FieldError } from '../../../support/errors.ts'
import { invalid } from '../../../support/http/validation-message.ts'
import { z } from '../../../support/http/z.ts'
import type { GuardedClient } from '../../../support/net/guarded-client.ts'
import type { Config, ConfigRules } from '../../../support/secrets/secret-config.ts'

const line = (max: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .regex(/^\P{Cc}*$/u, invalid('control_characters'))

export const Address = line(2_048)
/** A user name: the first colon ends it in Basic credentials. Source: RFC 7617, 2 */
export const UserName = line(255).refine((name) => !name.includes(':'), invalid('contains_colon'))
export const Password = line(1_000)
export const Identifier = line(255)

const PEM = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g
function isCertificate(text: string): boolean {
  const found = text.match(PEM) ?? []
  try {
    return (
      found.length > 0 && text.replace(PEM, '').trim() === '' && found.every((one) => new X509Certificate(one).subject !== null)
    )
  } catch {
    return false
  }
}
/** Certificates of a private authority, which is trusted in addition to the public ones. */
const CaCertificate = z
  .string()
  .max(65_536, 'must have at most 65,536 characters')
  .refine(isCertificate, invalid('invalid_certificates'))

/** Below `base_url`, so that credentials stay on its origin. */
const RelativePath = line(500).refine(
  (path) =>
    !/^\/|[\\\s?#]|^[A-Za-z][A-Za-z0-9+.-]*:/.test(path) && !path.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part)),
  invalid(
    'invalid_path',
    {},
    'must be a path below base_url that does not begin with /, without scheme, host, query, spaces, backslashes or ..',
  ),
)
const Paths = z.strictObject(
  Object.fromEntries(ERP_ENTITIES.map((entity) => [entity, RelativePath.optional()])) as Record<
    (typeof ERP_ENTITIES)[number],
    z.ZodOptional<typeof RelativePath>
  >,
)

/** Keys that every provider has beside its own. */
export const COMMON_KEYS = { base_url: Address, paths: Paths.optional(), ca_certificate: CaCertificate.optional() }

const originOf = (url: unknown): unknown => (typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : url)

/**
 * Rules of a provider's configuration. Secrets are bound to the origins of `addresses`, the keys with URLs; adding or removing one
 * of these keys is a move too.
 */
export function configRules(
  http: GuardedClient,
  config: z.ZodType<Config>,
  secrets: readonly string[],
  addresses: readonly string[],
): ConfigRules {
  return {
    config,
    secrets,
    isMoved: (stored, changed) => addresses.some((key) => originOf(stored[key]) !== originOf(changed[key])),
    check: (given) => addresses.flatMap((key) => faultOf(http, key, given[key])),
  }
}

function faultOf(http: GuardedClient, path: string, url: unknown): FieldError[] {
  if (typeof url !== 'string') return []
  const found = http.checkUrl(url) ?? (/[?#]/.test(url) ? fieldMessage('url_with_query') : null)
  return found ? [{ path, ...found }] : []
}

/** For the API document: the keys of a configuration; optional ones have a question mark. */
export const keysOf = (config: z.ZodType): string =>
  Object.entries((config as z.ZodObject).shape)
    .map(([key, value]) => `\`${key}\`${(value as z.ZodType).safeParse(undefined).success ? '?' : ''}`)
    .join(', ')
