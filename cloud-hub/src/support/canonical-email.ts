import { domainToASCII } from 'node:url'

/** Letters, marks and digits of all scripts; the two joiners, which IDNA allows in some of them; the dots that IDNA maps. */
const DOMAIN = /^[\p{L}\p{M}\p{N}\u200c-\u200d.\u3002\uff0e\uff61-]+$/u
/** The ASCII form of a domain, in lower case; text that is no domain stays. Source: RFC 5891; UTS 46 */
export function canonicalDomain(domain: string): string {
  const given = domain.trim()
  if (!DOMAIN.test(given)) return given
  return domainToASCII(given) || given
}

/**
 * The one form in which an address is stored and compared, so that the same address is one account: without blanks around it, the
 * domain in ASCII, and a non-ASCII name before the @ composed and in lower case. PostgreSQL lowers ASCII only in some collations.
 * An ASCII name keeps its case. Text that is no address stays, for the refusal. Source: RFC 6531; RFC 5891; RFC 6532, 3.1
 */
export function canonicalEmail(text: string): string {
  const given = text.trim()
  const at = given.lastIndexOf('@')
  if (at < 0) return given
  const name = given.slice(0, at)
  const isAscii = /^[\0-\x7f]*$/.test(name)
  return `${isAscii ? name : name.toLowerCase().normalize('NFC')}@${canonicalDomain(given.slice(at + 1))}`
}
