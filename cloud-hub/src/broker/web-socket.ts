import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { MAX_PACKET_BYTES } from '@haltless/protocol'
import { createWebSocketStream, WebSocketServer } from 'ws'

/** MQTT over WebSocket at `/mqtt` of the hub's HTTP port, for plants whose firewall lets only HTTPS out. */
export function serveMqttOverWebSocket(server: Server, handle: (stream: Duplex) => void): { close(): void } {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_PACKET_BYTES + 1_024,
    handleProtocols: (offered) => (offered.has('mqtt') ? 'mqtt' : offered.has('mqttv3.1') ? 'mqttv3.1' : false),
  })
  server.on('upgrade', (request, socket, head) => {
    if (request.url?.split('?')[0] !== '/mqtt') {
      // Node takes its own listener away before an upgrade; without one a reset would end the process
      socket.on('error', () => socket.destroy())
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n')
      return
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => handle(createWebSocketStream(webSocket)))
  })
  return {
    close() {
      for (const client of sockets.clients) client.terminate()
      sockets.close()
    },
  }
}
