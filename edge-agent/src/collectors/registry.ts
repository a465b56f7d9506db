import type { Collector, CollectorDeps, CollectorSource, ProbeDeps, ProbeResult, ProtocolAdapter } from './collector.ts'
import { fileAdapter } from './file/adapter.ts'
import { modbusAdapter } from './modbus/adapter.ts'
import { mqttAdapter } from './mqtt/adapter.ts'
import { opcUaAdapter } from './opcua/adapter.ts'
import { s7Adapter } from './s7/adapter.ts'
import { sparkplugAdapter } from './sparkplug/adapter.ts'

type Protocol = CollectorSource['protocol']
type Adapters = { [P in Protocol]: ProtocolAdapter<Extract<CollectorSource, { protocol: P }>> }

const adapters = {
  opcua: opcUaAdapter,
  modbus: modbusAdapter,
  s7: s7Adapter,
  file: fileAdapter,
  mqtt: mqttAdapter,
  sparkplug: sparkplugAdapter,
} satisfies Adapters

/** The adapter of a protocol, for sources whose configuration is of that protocol. */
export const adapterOf = (protocol: Protocol) => adapters[protocol] as unknown as ProtocolAdapter<CollectorSource>

/** A collector for this source, not yet started. */
export const createCollector = (source: CollectorSource, deps: CollectorDeps): Collector =>
  adapterOf(source.protocol).create(source, deps)

/** Connects once and reports the result, until `signal` aborts; never rejects. */
export const probe = (source: CollectorSource, deps: ProbeDeps, signal?: AbortSignal): Promise<ProbeResult> =>
  adapterOf(source.protocol).probe(source, deps, signal ?? new AbortController().signal)
