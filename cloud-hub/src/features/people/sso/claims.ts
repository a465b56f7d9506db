import { isStorableText } from '@haltless/protocol'
import { canonicalEmail } from '../../../support/canonical-email.ts'
import { Forbidden } from '../../../support/errors.ts'
import { Email } from '../../../support/http/email-address.ts'
import { z } from '../../../support/http/z.ts'

/** The user that the provider authenticated. */
export interface ProviderUser {
  issuer: string
  subject: string
  /** null: the provider sent none */
  email: string | null
  isEmailVerified: boolean
  name: string | null
}

export type Claims = Record<string, unknown>

/** Subjects have at most 255 ASCII characters (OpenID Connect Core 1.0, 2). */
const Subject = z.string().regex(/^[\x20-\x7e]{1,255}$/)
const Issuer = z.string().min(1).max(2_048).refine(isStorableText)

/** What a claim of yes or no may hold, in the forms that providers send. */
const FORMS: Record<string, { yes: readonly unknown[]; no: readonly unknown[] }> = {
  email_verified: { yes: [true, 'true'], no: [false, 'false'] },
  // Whether the owner of the domain is verified: the optional claim of Microsoft Entra ID.
  xms_edov: { yes: [true, 'true', 1, '1'], no: [false, 'false', 0, '0'] },
}

/** Whether the provider states that the address of these claims is verified; null where it says nothing. A no outweighs a yes. */
function verificationOf(claims: Claims): boolean | null {
  const forms = Object.entries(FORMS)
  if (forms.some(([name, { no }]) => no.includes(claims[name]))) return false
  return forms.some(([name, { yes }]) => yes.includes(claims[name])) ? true : null
}

/** The address that claims contain; null: none. */
export const addressOf = ({ email }: Claims): string | null =>
  typeof email === 'string' && email !== '' ? canonicalEmail(email) : null

/** Whether only the userinfo endpoint can tell the address, or that it is verified. */
export const needsUserinfo = (claims: Claims, trustsEmail: boolean): boolean =>
  addressOf(claims) === null || (verificationOf(claims) === null && !trustsEmail)

/**
 * Reads the usable claims about a user; a name that PostgreSQL cannot store is dropped.
 * @param userinfo the claims of the userinfo endpoint for the same subject
 * @param trustsEmail an address counts as verified where the provider says nothing about it
 * @throws Forbidden `email_claim_invalid`; Error, which becomes 401, for an invalid subject
 */
export function readClaims(claims: Claims & { iss: string; sub: string }, userinfo: Claims, trustsEmail = false): ProviderUser {
  const [own, other] = [addressOf(claims), addressOf(userinfo)]
  const email = own ?? other
  if (email !== null && !Email.safeParse(email).success)
    throw new Forbidden('email_claim_invalid', 'The claim email of the identity provider is not an e-mail address.')
  // What an answer says about verification concerns its own address only.
  const concernsEmail = other === null || other.toLowerCase() === email?.toLowerCase()
  const stated = (own === null ? null : verificationOf(claims)) ?? (concernsEmail ? verificationOf(userinfo) : null)
  const name = [claims.name, userinfo.name].find((each) => typeof each === 'string' && isStorableText(each))
  return {
    issuer: Issuer.parse(claims.iss),
    subject: Subject.parse(claims.sub),
    email,
    isEmailVerified: stated ?? trustsEmail,
    name: (name as string | undefined) ?? null,
  }
}
