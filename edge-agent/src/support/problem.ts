/**
 * Whether an answer is a problem document of a Haltless hub, and not of a proxy or firewall on the way: it names its status and a code.
 * Source: RFC 9457, 3.1.2
 */
export const isOfTheHub = (body: unknown, status: number): boolean =>
  typeof body === 'object' && body !== null && 'status' in body && body.status === status && 'code' in body

/** The detail of a problem document as the end of a sentence; '' without one. */
export function problemDetail(body: unknown): string {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : null
  return typeof detail === 'string' ? `: ${detail.slice(0, 300)}` : ''
}
