import { randomUUID } from 'node:crypto'
import type { ErpAnswer } from '../erp-http.ts'
import type { PreparedRequest } from '../provider.ts'

/** The answer to one request of a batch. */
export interface BatchPart {
  status: number
  /** lower-case names */
  headers: Record<string, string>
  body: string
}

/**
 * A batch without change sets: each request is executed by itself, in order.
 * Source: learn.microsoft.com, "Execute batch operations using the Web API": "Batch requests" (lines end with CRLF; each part has
 * `Content-Type: application/http`), "Continue on error"
 */
export function writeBatch(requests: readonly PreparedRequest[]): { contentType: string; body: string } {
  const boundary = `batch_${randomUUID()}`
  const parts = requests.map(({ method, url, headers, body }) =>
    [
      `--${boundary}`,
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      '',
      `${method} ${new URL(url).pathname} HTTP/1.1`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      '',
      JSON.stringify(body),
      '',
    ].join('\r\n'),
  )
  return { contentType: `multipart/mixed; boundary=${boundary}`, body: `${parts.join('')}--${boundary}--\r\n` }
}

/** @returns the parts in the order of the requests, or null for an answer that is no multipart */
export function readBatch({ headers, body }: Pick<ErpAnswer, 'headers' | 'body'>): BatchPart[] | null {
  const boundary = /^multipart\/mixed\s*;.*\bboundary="?([^";]+)"?/i.exec(headers['content-type'] ?? '')?.[1]
  if (!boundary) return null
  // A boundary is at the beginning of a line.
  const [, ...pieces] = `\r\n${body}`.split(`\n--${boundary}`)
  return pieces.filter((piece) => !piece.startsWith('--')).flatMap(readPart)
}

function readPart(piece: string): BatchPart[] {
  const lines = piece.split('\n').map((line) => line.replace(/\r$/, ''))
  const start = lines.findIndex((line) => /^HTTP\/1\.[01] \d{3}\b/.test(line))
  if (start < 0) return []
  const rest = lines.slice(start + 1)
  const blank = rest.indexOf('')
  const head = blank < 0 ? rest : rest.slice(0, blank)
  const headers = head.map((line) => {
    const at = line.indexOf(':')
    return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]
  })
  return [
    {
      status: Number((lines[start] as string).split(' ')[1]),
      headers: Object.fromEntries(headers),
      body:
        blank < 0
          ? ''
          : rest
              .slice(blank + 1)
              .join('\n')
              .trim(),
    },
  ]
}
