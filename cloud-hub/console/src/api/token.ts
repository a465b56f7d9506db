interface Claims {
  sub: string
  sid: string
  exp: number
  iat: number
}

/** An access token with the claims that the console needs. The hub alone verifies the signature. */
export interface AccessToken {
  text: string
  userId: string
  sessionId: string
  /** by the clock of this computer, in ms since 1970 */
  expiresAt: number
}

/** A request may take this long; a token that expires sooner is refreshed first. */
const MARGIN_MS = 30_000

/** @param receivedAt by the clock of this computer, which may differ from that of the hub */
export function readToken(text: string, receivedAt = Date.now()): AccessToken {
  const payload = (text.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
  const { sub, sid, exp, iat } = JSON.parse(atob(payload)) as Claims
  return { text, userId: sub, sessionId: sid, expiresAt: receivedAt + (exp - iat) * 1000 }
}

export const isExpiring = ({ expiresAt }: AccessToken, now = Date.now()): boolean => now > expiresAt - MARGIN_MS
