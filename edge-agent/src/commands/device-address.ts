import { type ModbusConfig, ModbusConfig as ModbusSettings, OpcUaConfig } from '@haltless/protocol'
import type { CollectorSource, ModbusSource, OpcUaSource } from '../collectors/index.ts'

/** What a person gives beside an address. */
export interface OpcUaOptions {
  security?: string
  policy?: string
  user?: string
  password?: string
}

/** Names no device; the message says how to. */
export class AddressError extends Error {
  override readonly name = 'AddressError'
}

/**
 * The OPC UA server that a person means: a collector by its name, with its login and security, or `opc.tcp://host:port/path`.
 * @throws AddressError
 */
export function opcUaSource(where: string, collectors: readonly CollectorSource[], options: OpcUaOptions): OpcUaSource {
  const named = collectors.find(({ name }) => name === where)
  if (named?.protocol === 'opcua') return named
  if (named) throw new AddressError(`${where} is a collector of ${named.protocol}: browse is for OPC UA.`)
  const { host, port, path } = addressIn(where, 'opc.tcp:', 4840, 'an OPC UA address, such as opc.tcp://10.20.0.5:4840')
  const security_mode = options.security ?? (options.user === undefined ? 'None' : 'SignAndEncrypt')
  const config = OpcUaConfig.safeParse({
    endpoint_path: path,
    security_mode,
    security_policy: options.policy ?? (security_mode === 'None' ? 'None' : 'Basic256Sha256'),
    ...(options.user !== undefined && { username: options.user, password: options.password }),
  })
  if (!config.success) {
    const [issue] = config.error.issues
    throw new AddressError(`${issue?.path.join('.')}: ${issue?.message}`)
  }
  return { protocol: 'opcua', name: where, machine: '', host, port, pollIntervalSeconds: 1, config: config.data }
}

/** The Modbus device that a person means: a collector by its name, or `host:port`. @throws AddressError */
export function modbusSource(
  where: string,
  collectors: readonly CollectorSource[],
  settings: Partial<Pick<ModbusConfig, 'unit_id' | 'framing' | 'answers_as' | 'timeout_ms'>>,
): ModbusSource {
  const named = collectors.find(({ name }) => name === where)
  if (named?.protocol === 'modbus') return { ...named, config: { ...named.config, ...settings } }
  if (named) throw new AddressError(`${where} is a collector of ${named.protocol}: probe is for Modbus.`)
  const { host, port } = addressIn(where, 'modbus:', 502, 'a Modbus address, such as 10.20.0.17:502')
  return {
    protocol: 'modbus',
    name: where,
    machine: '',
    host,
    port,
    pollIntervalSeconds: 1,
    config: ModbusSettings.parse(settings),
  }
}

function addressIn(where: string, scheme: string, defaultPort: number, expected: string) {
  const text = where.includes('://') ? where : `${scheme}//${where}`
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url?.hostname || url.protocol !== scheme || url.username || url.search)
    throw new AddressError(`${where} is neither the name of a collector nor ${expected}.`)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || defaultPort,
    path: url.pathname.replace(/^\//, ''),
  }
}
