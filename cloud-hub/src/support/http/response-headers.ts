import type { Route } from './route.ts'

/** Headers that many answers carry; each is one component of the document. */
export const SHARED_HEADERS = {
  'X-Request-Id': { type: 'string', description: 'Identifies the request in the log of the hub; yours, if you sent one.' },
  'X-RateLimit-Limit': { type: 'integer', description: 'How many requests of this kind a minute are allowed.' },
  'X-RateLimit-Remaining': { type: 'integer', description: 'How many of them are left.' },
  'X-RateLimit-Reset': { type: 'integer', description: 'When all of them are allowed again, as a Unix time in seconds.' },
  'Retry-After': { type: 'integer', description: 'Seconds until it is worth trying again, at least 1.' },
  'WWW-Authenticate': { type: 'string', description: 'Which credential the operation takes: `Bearer` or `ApiKey`.' },
} as const
const ALWAYS = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const

/** The headers of an answer, as references to components. @param own headers that only this operation has, with what they say */
export function responseHeaders(status: number, own: Route['spec']['answerHeaders'] = {}) {
  const names = [
    ...ALWAYS,
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
  ]
  return {
    ...Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...Object.fromEntries(
      Object.entries(own).map(([name, description]) => [name, { description, schema: { type: 'string' as const } }]),
    ),
  }
}
