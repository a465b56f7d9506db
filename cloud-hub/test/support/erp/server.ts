import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { ErpEntity, ErpProvider } from '../../../src/db/enums.ts'
import { CA, SERVER_CERTIFICATE, SERVER_KEY } from './certificates.ts'
import { erpA } from './erp-a.ts'
import { erpB } from './erp-b.ts'
import { erpC } from './erp-c.ts'
import { createInjector, type Fault, type FaultRule } from './faults.ts'
import { type AcceptsValue, createStore, type StoredRecord } from './store.ts'
import type { ErpCall, ErpReply, Vendor, VendorSettings } from './vendor.ts'

export interface ErpServerOptions {
  port?: number
  pageSize?: number
  /** before each answer */
  delayMs?: number
  /** maximum lengths by field of the ERP; default 4,000 */
  maxLengths?: Record<string, number>
  /** whether our id is a unique key; default true */
  isUnique?: boolean
  hasEtags?: boolean
  /** error texts repeat the credentials */
  echoes?: boolean
  /** replaces the answer to a call, e.g. by one of another product */
  answer?: (call: ErpCall) => ErpReply | null
}

export interface ErpServer {
  url: string
  /** PEM, for `ca_certificate` */
  ca: string
  /** of a connection to this server */
  config: Record<string, unknown>
  /** everything that was received, also what a fault prevented */
  calls: ErpCall[]
  records(entity: ErpEntity): StoredRecord[]
  /** how often a record with this id of ours was created */
  creates(haltlessId: string): number
  /** machines, named m-00001 and so on */
  addAssets(count: number): void
  /** changes a record as a user of the ERP does */
  touch(entity: ErpEntity, externalId: string): void
  remove(entity: ErpEntity, externalId: string): void
  inject(fault: Fault, options?: Partial<Omit<FaultRule, 'fault'>>): void
  clearFaults(): void
  faults: Readonly<Partial<Record<Fault, number>>>
  expireCredentials(): void
  close(): Promise<void>
}

const VENDORS: Record<ErpProvider, { make(settings: VendorSettings): Vendor; accepts: AcceptsValue }> = {
  erp_a: erpA,
  erp_b: erpB,
  erp_c: erpC,
}
const PASSWORD = 'p&ss/wörd"7+'

/** An HTTPS server on 127.0.0.1 that behaves like the product of a provider, refusals included. */
export async function startErpServer(provider: ErpProvider, options: ErpServerOptions = {}): Promise<ErpServer> {
  const { accepts, make } = VENDORS[provider]
  const store = createStore(provider, options.maxLengths ?? {}, accepts, options.isUnique ?? true)
  const injector = createInjector()
  const calls: ErpCall[] = []
  const sockets = new Set<Duplex>()
  const closing = new AbortController()
  const server = https.createServer({ key: SERVER_KEY, cert: SERVER_CERTIFICATE }, async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      return
    }
    const call = {
      method: request.method as string,
      path: request.url as string,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    }
    calls.push(call)
    if (options.delayMs) await wait(options.delayMs, null, { signal: closing.signal }).catch(() => {})
    const reply = replyTo(call)
    if (reply === 'silence') return
    if (reply === 'drop') return void request.socket.destroy()
    const isText = typeof reply.body === 'string' || reply.body === undefined
    const text = isText ? ((reply.body as string | undefined) ?? '') : JSON.stringify(reply.body)
    response.writeHead(reply.status, { ...(!isText && { 'content-type': 'application/json' }), ...reply.headers }).end(text)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const vendor = make({
    store,
    url,
    username: 'haltless',
    password: PASSWORD,
    pageSize: options.pageSize ?? 1_000,
    hasEtags: options.hasEtags ?? true,
    echoes: options.echoes ?? false,
  })

  function replyTo(call: ErpCall): ErpReply | 'silence' | 'drop' {
    const replaced = options.answer?.(call)
    if (replaced) return replaced
    const kind = vendor.kindOf(call)
    const rule = kind && injector.next(kind)
    if (!rule) return vendor.handle(call)
    const later = { 'retry-after': String(rule.retryAfterSeconds) }
    switch (rule.fault) {
      case '500':
        return vendor.error(500, 'internal', 'An internal error has occurred.')
      case '429':
        return { ...vendor.error(429, 'throttled', 'Number of requests exceeded the limit.'), headers: later }
      case '503':
        return { ...vendor.error(503, 'maintenance', 'The system is down for maintenance.'), headers: later }
      case 'drop_before_commit':
        return 'drop'
      case 'expired_token':
      case 'csrf_expiry':
        vendor.expireCredentials()
        return vendor.handle(call)
      default:
        vendor.handle(call)
        return rule.fault === 'drop_after_commit' ? 'drop' : 'silence'
    }
  }

  return {
    url,
    ca: CA,
    config: { ...vendor.config, ca_certificate: CA },
    calls,
    records: (entity) => [...store.table(entity).values()],
    creates: store.creates,
    addAssets(count) {
      const type = store.types.get('machine')
      if (!type) return
      const [identifier, name, location] = [...type.fields.keys()] as [string, string, string]
      const from = store.table('machine').size
      for (let index = from + 1; index <= from + count; index++)
        store.insert(type, {
          [identifier]: `m-${String(index).padStart(5, '0')}`,
          [name]: `Machine ${index}`,
          [location]: `Hall ${1 + (index % 7)}`,
        })
    },
    touch(entity, externalId) {
      const record = store.table(entity).get(externalId)
      if (record) record.version++
    },
    remove: (entity, externalId) => void store.table(entity).delete(externalId),
    inject: injector.inject,
    clearFaults: injector.clear,
    faults: injector.counts,
    expireCredentials: vendor.expireCredentials,
    async close() {
      closing.abort()
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
