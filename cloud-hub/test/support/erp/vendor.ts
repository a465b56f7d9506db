import type { IncomingHttpHeaders } from 'node:http'
import type { Store } from './store.ts'

export interface ErpCall {
  method: string
  /** path and query as sent */
  path: string
  headers: IncomingHttpHeaders
  body: string
}
export interface ErpReply {
  status: number
  headers?: Record<string, string | string[]>
  /** objects become JSON */
  body?: unknown
}
export interface VendorSettings {
  store: Store
  /** of this server */
  url: string
  username: string
  password: string
  /** of server-driven paging, and the maximum of `limit` */
  pageSize: number
  hasEtags: boolean
  /** adds what it received to error texts, as careless servers do */
  echoes: boolean
}

/** A product: its rules for a request. */
export interface Vendor {
  config: Record<string, unknown>
  /** what the request does, for the injection of faults; null: it signs in */
  kindOf(call: ErpCall): 'create' | 'update' | 'read' | null
  handle(call: ErpCall): ErpReply
  error(status: number, code: string, message: string): ErpReply
  /** ends sessions and tokens, so that the next call must renew them */
  expireCredentials(): void
}

export const echoOf = (call: ErpCall, settings: VendorSettings): string =>
  settings.echoes
    ? ` Received: ${call.headers.authorization} ${settings.password} ${encodeURIComponent(settings.password)} ${Buffer.from(settings.password).toString('base64')}`
    : ''

export function isSignedIn(call: ErpCall, { username, password }: VendorSettings): boolean {
  return call.headers.authorization === `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** @returns null for a body that is no JSON object */
export function jsonOf(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
