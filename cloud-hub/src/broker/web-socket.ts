import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { MAX_PACKET_BYTES } from '@haltless/protocol'
import { createWebSocketStream, WebSocketServer } from 'ws'
import { countHeader } from '../support/http/http-app.ts'

/** MQTT over WebSocket at `/mqtt` of the hub's HTTP port, for plants whose firewall allows only HTTPS. */
export function serveMqttOverWebSocket(
  server: Server,
  handle: (stream: Duplex, request: IncomingMessage) => void,
): { close(): void } {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_PACKET_BYTES + 1_024,
    handleProtocols: (offered) => (offered.has('mqtt') ? 'mqtt' : offered.has('mqttv3.1') ? 'mqttv3.1' : false),
  })
  server.on('upgrade', (request, socket, head) => {
    // No other listener handles errors from here on; an unhandled error would end the process.
    socket.on('error', () => socket.destroy())
    if (request.url?.split('?')[0] !== '/mqtt') {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n')
      return
    }
    if (countHeader('host', request.rawHeaders) > 1) {
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
      return
    }
    if (isForeign(request)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n')
      return
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => handle(createWebSocketStream(webSocket), request))
  })
  return {
    close() {
      for (const client of sockets.clients) client.terminate()
      sockets.close()
    },
  }
}

/** Browsers name the page that opens a WebSocket, and no other rule keeps a foreign page out. Agents send no Origin. */
function isForeign({ headers: { origin, host } }: IncomingMessage): boolean {
  if (origin === undefined) return false
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase()
}
