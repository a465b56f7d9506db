import { HaltlessError, type Schemas } from '@haltless/client'
import { type DemoApi, isUnauthorized } from './api.ts'

/** The token that the commands of `npm start` send; null with the reason why the hub gives none. */
export type CommandsToken = { token: string; refusal: null } | { token: null; refusal: string }

const NAME = 'commands of npm start'
/** What the commands read. */
const SCOPES: Schemas['TokenScope'][] = ['machines:read', 'readings:read', 'alerts:read', 'production:read', 'stream:read']
const LASTS_DAYS = 365
/** A known token that ends sooner is replaced, so that the commands work for as long as the screen shows them. */
const RENEWED_BEFORE_MS = 86_400_000

/**
 * Keeps the known token or makes a new one, and revokes all others of its name: a start that was killed before it stored its token left one
 * that nobody knows. A hub that refuses a token says why, and the start goes on.
 */
export async function commandsToken(api: DemoApi, known: string | null | undefined): Promise<CommandsToken> {
  try {
    const own = (await api.get('/tokens')).filter(({ name, status }) => name === NAME && status === 'active')
    const isKnown = (prefix: string) => known?.startsWith(prefix.replace('***', ''))
    const kept = own.find((one) => isKnown(one.token_prefix) && lasts(one.expires_at))
    for (const { id } of own)
      if (id !== kept?.id) await api.delete('/tokens/{access_token_id}', { path: { access_token_id: id } })
    if (known && kept) return { token: known, refusal: null }
    const { token } = await api.post('/tokens', { body: { name: NAME, scopes: SCOPES, expires_in_days: LASTS_DAYS } })
    return { token, refusal: null }
  } catch (error) {
    if (!(error instanceof HaltlessError) || isUnauthorized(error)) throw error
    return { token: null, refusal: error.message }
  }
}

const lasts = (expiresAt: string) => Date.parse(expiresAt) - Date.now() > RENEWED_BEFORE_MS
