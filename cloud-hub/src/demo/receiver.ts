import { createServer, type Server } from 'node:http'

export interface ReceivedAlert {
  at: Date
  severity: string
  message: string
}

/** A small webhook receiver on loopback: it shows what the hub delivers. */
export async function startReceiver(onAlert: (alert: ReceivedAlert) => void): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
      if (body.length > 65_536) request.destroy()
    })
    request.on('end', () => {
      response.writeHead(204).end()
      try {
        const { severity, message } = JSON.parse(body) as { severity: string; message: string }
        onAlert({ at: new Date(), severity, message })
      } catch {
        // a receiver accepts any body
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/alerts`,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
