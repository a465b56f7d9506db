import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'

export interface VendorCall {
  method: string
  path: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
}

export interface Vendor {
  url: string
  calls: VendorCall[]
  /** a status, with a JSON body; a promise keeps the caller waiting */
  answer: (call: VendorCall) => { status: number; body?: unknown } | Promise<{ status: number; body?: unknown }>
}

/** A vendor's API on loopback, which answers as a test says. */
export function useVendor(answer: Vendor['answer']): Vendor {
  const vendor: Vendor = { url: '', calls: [], answer }
  let server: Server
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const text = Buffer.concat(chunks).toString()
      const call = { method: request.method as string, path: request.url as string, body: text === '' ? null : JSON.parse(text) }
      vendor.calls.push(call)
      const { status, body } = await vendor.answer(call)
      response.writeHead(status).end(body === undefined ? '' : JSON.stringify(body))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    vendor.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  return vendor
}
