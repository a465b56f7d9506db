import type { MqttAccess } from '@haltless/protocol'

/** Why nothing may be sent for now. Collecting goes on, nothing is deleted. */
export type HoldReason = 'payment_required' | 'credential_refused' | 'agent_id_in_use'

/** What the hub allows this agent. `access` is absent where a hub offers HTTP only. */
export type AuthorizationState =
  | { kind: 'unknown' }
  | { kind: 'granted'; access: MqttAccess | null; grantedAt: number }
  | { kind: 'held'; reason: HoldReason; detail: string }

/**
 * Where heartbeat and uplink meet: the heartbeat says what the hub allows, the uplink acts on it.
 *
 * ```
 * unknown -> granted <-> held
 * ```
 */
export class Authorization {
  #state: AuthorizationState = { kind: 'unknown' }
  readonly #listeners: (() => void)[] = []

  get state(): AuthorizationState {
    return this.#state
  }

  /** @param grantedAt monotonic ms */
  grant(access: MqttAccess | null, grantedAt: number): void {
    this.#set({ kind: 'granted', access, grantedAt })
  }

  hold(reason: HoldReason, detail: string): void {
    this.#set({ kind: 'held', reason, detail })
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  #set(state: AuthorizationState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

/**
 * The lifetime of a broker password that is a JWT.
 * @returns milliseconds, or null when the password is no JWT with both claims. Both claims come from the hub's clock, so a wrong
 * clock here does not matter. Source: RFC 7519, 4.1.4 and 4.1.6 (seconds)
 */
export function tokenLifetimeMs(password: string): number | null {
  try {
    const { exp, iat } = JSON.parse(Buffer.from(password.split('.')[1] ?? '', 'base64url').toString('utf8'))
    const lifetime = (exp - iat) * 1_000
    return lifetime > 0 ? lifetime : null
  } catch {
    return null
  }
}
