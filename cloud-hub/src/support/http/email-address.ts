import { canonicalEmail } from '../canonical-email.ts'
import { invalid } from './validation-message.ts'
import { z } from './z.ts'

/** As in HTML and zod, with letters of all scripts before the @ (RFC 6531), and top-level domains in their ASCII form. */
const ADDRESS =
  /^(?!\.)(?![^@]*\.\.)[\p{L}\p{M}\p{N}_'+.-]*[\p{L}\p{M}\p{N}_+-]@(?:[a-z0-9][a-z0-9-]{0,62}\.)+(?:[a-z]{2,}|xn--[a-z0-9-]*[a-z0-9])$/u
const MAX_OCTETS = 254
const NO_ADDRESS = invalid('invalid_email')

/** An e-mail address in its canonical form. */
export const Email = z
  .string({ error: 'must be an e-mail address' })
  .max(1_000)
  .overwrite(canonicalEmail)
  .refine((address) => ADDRESS.test(address), NO_ADDRESS)
  .refine((address) => Buffer.byteLength(address) <= MAX_OCTETS, invalid('email_too_long', { limit: MAX_OCTETS }))
  .openapi({ format: 'email', maxLength: MAX_OCTETS })

/** The address of an account that exists or not: in canonical form, and never refused as malformed. */
export const AccountEmail = z.string().min(1).max(254).overwrite(canonicalEmail)
