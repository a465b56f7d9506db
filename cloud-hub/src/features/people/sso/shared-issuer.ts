const MICROSOFT_HOSTS = [
  'login.microsoftonline.com',
  'login.microsoft.com',
  'login.windows.net',
  'sts.windows.net',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
]
/** The tenant of Microsoft's personal accounts; `consumers` is another name of it. */
const MICROSOFT_CONSUMERS = '9188040d-6c67-4c5b-b112-36a304b66dad'
/** The first part of the path, where an organisation has its own id or domain. `{tenantid}` is what the metadata of `common` contain. */
const MICROSOFT_SHARED = ['common', 'organizations', 'consumers', MICROSOFT_CONSUMERS, '{tenantid}']

/**
 * Finds out whether an issuer serves many organisations. Anybody can have an account there, so an address that it has not verified
 * says nothing.
 * @param url the issuer, or the address of its metadata
 * @returns the name of the issuer for a message; null for an issuer of one organisation
 */
export function sharedIssuer(url: string): string | null {
  // Google's ID tokens may name their issuer without a scheme (OpenID Connect of Google, ID token's payload).
  const { hostname, pathname } = new URL(url.includes('://') ? url : `https://${url}`)
  const host = hostname.replace(/\.$/, '')
  if (host === 'accounts.google.com') return 'Google'
  if (host === 'gitlab.com') return 'GitLab (gitlab.com)'
  if (host === 'login.live.com') return 'Microsoft (personal accounts)'
  if (!MICROSOFT_HOSTS.includes(host)) return null
  const first = decoded(pathname.split('/').find(Boolean) ?? '').toLowerCase()
  return MICROSOFT_SHARED.includes(first) ? `Microsoft (${first})` : null
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
