import type { IncomingMessage } from 'node:http'

/** The time that an upload may take. At the default limit of 25 MB, a connection needs at least 87 kB/s. */
export const UPLOAD_SECONDS = 300

/** For the HTTP server, which knows no routes when a request arrives. */
export const UPLOADS = {
  seconds: UPLOAD_SECONDS,
  isUpload: ({ method, url = '' }: IncomingMessage): boolean => method === 'POST' && /^\/api\/v1\/attachments(\?|$)/.test(url),
}
