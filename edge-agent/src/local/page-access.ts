import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const LINK_MS = 60_000
const SESSION_MS = 12 * 3_600_000
const SESSIONS_MAX = 20
const LINKS_MAX = 20

/**
 * Who may see the local page: whoever can run the agent's commands gets a link, which works once and for a minute, and is exchanged for a cookie. Only hashes
 * are kept, in memory.
 */
export class PageAccess {
  readonly #links = new Map<string, number>()
  readonly #sessions = new Map<string, number>()
  readonly #now: () => number
  /** Cookies are shared by all ports of a host: two agents of one computer need two names. */
  readonly cookieName = `haltless_${randomBytes(4).toString('hex')}`

  /** @param now monotonic ms */
  constructor(now: () => number) {
    this.#now = now
  }

  /** @returns the token of a new link */
  newLink(): string {
    return this.#add(this.#links, LINK_MS, LINKS_MAX)
  }

  /** @returns the value of the cookie; null for a token that was used, is too old, or is none */
  exchange(token: string): string | null {
    const key = hashOf(token)
    const until = this.#links.get(key)
    this.#links.delete(key)
    return until === undefined || until < this.#now() ? null : this.#add(this.#sessions, SESSION_MS, SESSIONS_MAX)
  }

  isSignedIn({ headers: { cookie = '' } }: IncomingMessage): boolean {
    const value = cookie
      .split(';')
      .map((part) => part.trim().split('='))
      .find(([name]) => name === this.cookieName)?.[1]
    const until = value === undefined ? undefined : this.#sessions.get(hashOf(value))
    return until !== undefined && until >= this.#now()
  }

  #add(to: Map<string, number>, lifetimeMs: number, most: number): string {
    const value = randomBytes(32).toString('base64url')
    for (const [key, until] of to) if (until < this.#now() || to.size >= most) to.delete(key)
    to.set(hashOf(value), this.#now() + lifetimeMs)
    return value
  }
}

const hashOf = (value: string): string => createHash('sha256').update(value).digest('base64')

/** Why a request is refused before anything else; null: it is not. Against pages of other sites, and names that point here (DNS rebinding). */
export function refusalOf({ headers }: IncomingMessage): { status: 403 | 421; words: string } | null {
  const { host = '', origin } = headers
  if (!/^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(host))
    return { status: 421, words: 'This page answers to localhost, 127.0.0.1 and [::1] only.' }
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    return { status: 403, words: 'Requests of other pages are refused.' }
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return { status: 403, words: 'Requests of other pages are refused.' }
  return null
}
