import type { MqttClient } from 'mqtt'
import type { Finding } from '../commands/findings.ts'
import { plaintextFault } from '../support/encryption.ts'
import { errorMessage } from '../support/error-message.ts'
import type { ProxySettings } from '../support/proxy.ts'
import { connectMqtt } from '../uplink/mqtt-client.ts'
import { finding } from './hub-connection.ts'

/** CONNACK: bad user name or password, not authorized. Source: MQTT 3.1.1, table 3.1 */
const REFUSALS = [4, 5]

interface BrokerTest {
  what: 'MQTT' | 'WebSocket'
  url: string
  allowPlaintext: boolean
  ca: string[] | undefined
  proxy: ProxySettings | null
  stepMs: number
}

/**
 * Whether an MQTT broker answers. Before the enrolment there is no credential, so the broker refuses this login: its refusal is the
 * proof that the transport is open.
 */
export async function testBroker({ what, url, allowPlaintext, ca, proxy, stepMs }: BrokerTest): Promise<Finding> {
  const objection = plaintextFault(url, allowPlaintext)
  if (objection) return finding(what, 'note', objection)
  const options = {
    clientId: `enrolment-test-${process.pid}`,
    username: 'enrolment-test',
    password: 'none',
    protocolVersion: 4 as const,
    connectTimeout: stepMs + 1_000,
    ...(ca && { ca }),
  }
  let timer: NodeJS.Timeout | undefined
  let client: MqttClient | undefined
  try {
    const opened = await connectMqtt(url, options, proxy)
    client = opened
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${stepMs / 1_000} s`)), stepMs)
      opened.once('connect', () => resolve())
      opened.on('error', reject)
      opened.once('close', () => reject(new Error('the connection was closed at once: a firewall or proxy may cut it')))
    })
    return finding(what, 'ok', `${url} answers`)
  } catch (error) {
    if (REFUSALS.includes((error as { code?: unknown }).code as number)) return finding(what, 'ok', `${url} answers`)
    return finding(what, 'note', `${url}: ${errorMessage(error)}`)
  } finally {
    clearTimeout(timer)
    client?.end(true)
  }
}
