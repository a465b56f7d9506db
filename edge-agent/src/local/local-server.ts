import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { toReadings } from '@haltless/protocol'
import type { Logger } from '../support/logger.ts'
import { shortError } from '../support/short-error.ts'
import type { NewestValues } from './newest-values.ts'
import type { Overview } from './overview.ts'
import { PageAccess, refusalOf } from './page-access.ts'

/** Where the commands of this computer ask the running agent. */
export const socketFile = (dataDir: string): string => join(dataDir, 'agent.sock')

const BODY_MAX = 1_000
/** What a slow reader of `tail` may leave unread before readings are left out for it, bytes. */
const UNREAD_MAX = 1_000_000
const PAGE_FILES: Record<string, [file: string, type: string]> = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
}
const ACCEPT = /^POST \/namespaces\/([^/]+)\/accept$/
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

interface LocalServerOptions {
  dataDir: string
  /** of the page on loopback; null: no page. Another one is taken where it is in use */
  port: number | null
  overview: () => Overview
  /** the command that prints a link to the page */
  linkCommand: string
  values: NewestValues
  /** @returns false when there are no others to accept */
  acceptNamespaces: (collector: string) => Promise<boolean>
  logger: Logger
  /** ms */
  monotonic: () => number
}

export interface LocalServer {
  /** of the page; null: there is none */
  readonly port: number | null
  close(): void
}

/**
 * Shows the running agent to people on this computer: on a socket that only its user can open, for commands, and read-only as a page on loopback. That
 * one of them cannot be opened never stops the agent.
 */
export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer> {
  const { dataDir, logger } = options
  const access = new PageAccess(options.monotonic)
  const page = options.port === null ? null : await listenOnLoopback(pageListener(options, access), options.port, logger)
  const port = page && (page.address() as AddressInfo).port
  const socket = await listenOnSocket(socketListener(options, access, port), socketFile(dataDir), logger)
  if (port !== null) logger.info({ port }, 'the local page is on loopback')
  return {
    port,
    close() {
      for (const server of [page, socket]) {
        server?.close()
        server?.closeAllConnections()
      }
      if (socket) rmSync(socketFile(dataDir), { force: true })
    },
  }
}

const pageListener =
  (options: LocalServerOptions, access: PageAccess): RequestListener =>
  (request, response) => {
    const refusal = refusalOf(request)
    if (refusal) return send(response, refusal.status, { detail: refusal.words })
    const path = request.url ?? ''
    const file = PAGE_FILES[path]
    if (file && request.method === 'GET') return sendFile(response, file)
    if (path === '/session' && request.method === 'POST') return void exchange(request, response, access, options.linkCommand)
    if (path === '/overview' && request.method === 'GET')
      return access.isSignedIn(request)
        ? send(response, 200, options.overview())
        : send(response, 401, { detail: `This page needs a link. On the box, run: ${options.linkCommand}` })
    send(response, file || path === '/session' || path === '/overview' ? 405 : 404, { detail: 'There is nothing here.' })
  }

/** The owner of the socket may do what its commands do. */
const socketListener =
  (options: LocalServerOptions, access: PageAccess, port: number | null): RequestListener =>
  (request, response) => {
    const asked = `${request.method} ${request.url}`
    if (asked === 'GET /overview') return send(response, 200, options.overview())
    if (asked === 'GET /readings') return streamReadings(request, response, options.values)
    if (asked === 'POST /link')
      return port === null
        ? send(response, 409, { detail: 'The local page is switched off (local_page.enabled in the settings).' })
        : send(response, 200, { url: `http://127.0.0.1:${port}/#${access.newLink()}` })
    const collector = ACCEPT.exec(asked)?.[1]
    if (collector !== undefined) return void accept(response, options, collector)
    send(response, 404, { detail: 'This agent does not know that request.' })
  }

async function accept(response: ServerResponse, { acceptNamespaces }: LocalServerOptions, encoded: string): Promise<void> {
  try {
    const collector = decodeURIComponent(encoded)
    if (await acceptNamespaces(collector)) return send(response, 200, { collector })
    send(response, 409, {
      detail: `There is nothing to accept: no server of a collector ${collector} has had other namespaces than those that are remembered.`,
    })
  } catch (error) {
    send(response, 500, { detail: shortError(error) })
  }
}

/** One JSON line a reading, from now on. */
function streamReadings(request: IncomingMessage, response: ServerResponse, values: NewestValues): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  response.flushHeaders()
  let leftOut = 0
  const end = values.follow((collector, readings) => {
    if (readings.values.length === 0) return
    if (response.writableLength > UNREAD_MAX) {
      leftOut += readings.values.length
      return
    }
    const lines = toReadings(readings).map((reading) => JSON.stringify({ collector, ...reading }))
    if (leftOut > 0) lines.unshift(JSON.stringify({ left_out: leftOut }))
    leftOut = 0
    response.write(`${lines.join('\n')}\n`)
  })
  request.once('close', end)
  response.once('close', end)
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  access: PageAccess,
  linkCommand: string,
): Promise<void> {
  let body = ''
  try {
    for await (const part of request) {
      body += String(part)
      if (body.length > BODY_MAX) return send(response, 413, { detail: 'The request is too long.' })
    }
  } catch {
    return
  }
  const cookie = access.exchange(body)
  if (cookie === null)
    return send(response, 401, {
      detail: `This link was used, or is older than a minute. For a new one, run on the box: ${linkCommand}`,
    })
  response.setHeader('set-cookie', `${access.cookieName}=${cookie}; HttpOnly; SameSite=Strict; Path=/`)
  send(response, 204, null)
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { ...HEADERS, ...(body !== null && { 'content-type': 'application/json' }) })
  response.end(body === null ? undefined : JSON.stringify(body))
}

function sendFile(response: ServerResponse, [file, type]: readonly [string, string]): void {
  response.writeHead(200, { ...HEADERS, 'content-type': type })
  response.end(readFileSync(new URL(`./page/${file}`, import.meta.url)))
}

/** @returns null where loopback has no free port */
async function listenOnLoopback(listener: RequestListener, port: number, logger: Logger): Promise<Server | null> {
  for (const candidate of new Set([port, 0])) {
    const server = boundedServer(listener)
    try {
      await listening(server, { host: '127.0.0.1', port: candidate })
      return server
    } catch (error) {
      logger.warn({ port: candidate, error: shortError(error) }, 'the local page cannot use this port')
    }
  }
  return null
}

/** A socket that an agent left behind is removed: the lock of the folder says that none runs. */
async function listenOnSocket(listener: RequestListener, file: string, logger: Logger): Promise<Server | null> {
  const server = boundedServer(listener)
  const before = process.umask(0o177)
  try {
    rmSync(file, { force: true })
    await listening(server, { path: file })
    chmodSync(file, 0o600)
    return server
  } catch (error) {
    logger.warn(
      { error: shortError(error) },
      'the socket for commands cannot be opened: tail, page and status --watch do not work',
    )
    server.close()
    return null
  } finally {
    process.umask(before)
  }
}

function boundedServer(listener: RequestListener): Server {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000, maxHeaderSize: 8_192 }, listener)
  server.maxConnections = 32
  server.unref()
  return server
}

const listening = (server: Server, at: { host: string; port: number } | { path: string }) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(at, () => {
      server.off('error', reject)
      server.on('error', () => {})
      resolve()
    })
  })
