import { ApiError, type Problem } from './error.ts'
import { askedWaitMs, wait } from './patience.ts'
import { keep, kept } from './storage.ts'
import { type AccessToken, isExpiring, readToken } from './token.ts'

/**
 * The session of this tab. The access token stays in memory. The refresh cookie (HttpOnly) outlives the page; the console uses it
 * only where this browser has signed in before, because a refresh without cookie is an error on the browser's console.
 */
export type SessionState =
  | { status: 'starting' }
  | { status: 'signed_in'; userId: string; sessionId: string }
  | { status: 'signed_out'; reason: 'none' | 'signed_out' | 'ended' }
  /** signed in before, but the hub does not answer */
  | { status: 'offline' }

type Message = { kind: 'token'; text: string } | { kind: 'signed_out' }

const KNOWN_KEY = 'haltless.signed-in'
const REFRESH_LOCK = 'haltless.refresh'
const REFRESH_ATTEMPTS = 3

let token: AccessToken | null = null
/** counts tokens, so that a tab that waited for the lock sees that another tab has refreshed meanwhile */
let generation = 0
/** the session is being ended: what the hub refuses from now on is no reason to continue it */
let isLeaving = false
let state: SessionState = { status: 'starting' }
const listeners = new Set<() => void>()
const channel = new BroadcastChannel('haltless.session')

/** A browser stores the `Secure` refresh cookie over HTTPS and on localhost only. Elsewhere a session ends with the page. */
export const keepsSession = (): boolean => window.isSecureContext

export const sessionState = (): SessionState => state
export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function change(next: SessionState): void {
  state = next
  for (const listener of listeners) listener()
}

function adopt(text: string): void {
  isLeaving = false
  token = readToken(text)
  generation++
  const { userId, sessionId } = token
  if (state.status !== 'signed_in' || state.sessionId !== sessionId) change({ status: 'signed_in', userId, sessionId })
}

function forget(reason: 'signed_out' | 'ended'): void {
  isLeaving = false
  token = null
  generation++
  keep(KNOWN_KEY, null)
  if (state.status !== 'signed_out') change({ status: 'signed_out', reason })
}

channel.onmessage = ({ data }: MessageEvent<Message>) => {
  if (data.kind === 'token') adopt(data.text)
  else forget('signed_out')
}

const announce = (message: Message) => channel.postMessage(message)

/** Starts the session with a token that a sign-in returned. */
export function signedIn(text: string): void {
  if (keepsSession()) keep(KNOWN_KEY, '1')
  adopt(text)
  announce({ kind: 'token', text })
}

/** The hub is asked to end the session; `signedOut` follows, whatever it answers. */
export function signingOut(): void {
  isLeaving = true
}

/** Ends the session in all tabs of this browser. */
export function signedOut(reason: 'signed_out' | 'ended'): void {
  forget(reason)
  announce({ kind: 'signed_out' })
}

/** Whether somebody has signed in at this browser and not out: the pages behind the sign-in are likely to be needed. */
export const wasSignedIn = (): boolean => keepsSession() && kept(KNOWN_KEY) !== null

/** Continues the session of an earlier visit, or of a single sign-on that has just set the cookie, if there is one. */
export async function startSession({ isAfterSso = false } = {}): Promise<void> {
  if (isAfterSso) keep(KNOWN_KEY, '1')
  if (!wasSignedIn()) return change({ status: 'signed_out', reason: 'none' })
  try {
    await refresh()
  } catch {
    if (state.status === 'starting') change({ status: 'offline' })
  }
}

/** @returns a token that is valid for the next 30 seconds, or null where no user is signed in */
export async function freshToken(): Promise<AccessToken | null> {
  if (token && isExpiring(token)) await refresh()
  return token
}

let running: Promise<void> | null = null

/**
 * Exchanges the refresh cookie for a new access token. Of several tabs one does so, and the others receive its token.
 * @throws ApiError where the hub cannot be reached; a refused refresh ends the session instead
 */
export function refresh(): Promise<void> {
  if (isLeaving) return Promise.resolve()
  running ??= refreshOnce().finally(() => {
    running = null
  })
  return running
}

async function refreshOnce(): Promise<void> {
  if (!keepsSession()) return forget('ended')
  const before = generation
  await navigator.locks.request(REFRESH_LOCK, async () => {
    if (generation !== before) return
    for (let attempt = 1; ; attempt++) {
      const response = await fetch('/api/v1/auth/refresh', { method: 'POST' }).catch(() => null)
      if (response?.ok) {
        const { access_token } = (await response.json()) as { access_token: string }
        adopt(access_token)
        return announce({ kind: 'token', text: access_token })
      }
      const problem = response === null ? null : ((await response.json().catch(() => null)) as Problem | null)
      // another tab without this lock has used the cookie a moment ago: its answer brings the next cookie
      const isParallel = problem?.code === 'refresh_token_used' && attempt < REFRESH_ATTEMPTS
      // at the start a page that says so waits instead
      const asked = response && state.status === 'signed_in' && attempt < REFRESH_ATTEMPTS ? askedWaitMs(response) : null
      if (isParallel) await new Promise((resolve) => setTimeout(resolve, 300 * attempt))
      else if (asked !== null) await wait(asked)
      else if (response?.status === 401) return signedOut('ended')
      else throw new ApiError(problem)
    }
  })
}
