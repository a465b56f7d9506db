import type { Collector, CollectorDeps, CollectorSource, ProbeDeps, ProbeResult, ProtocolAdapter } from './collector.ts'
import { createModbusCollector } from './modbus/collector.ts'
import { probeModbus } from './modbus/probe.ts'
import { createOpcUaCollector } from './opcua/collector.ts'
import { probeOpcUa } from './opcua/probe.ts'

type Protocol = CollectorSource['protocol']
type Adapters = { [P in Protocol]: ProtocolAdapter<Extract<CollectorSource, { protocol: P }>> }

const adapters = {
  modbus: { create: createModbusCollector, probe: probeModbus },
  opcua: { create: createOpcUaCollector, probe: probeOpcUa },
} satisfies Adapters

/** The adapter of a source; indexing by the source's protocol gives the matching type. */
const adapterOf = (source: CollectorSource) => adapters[source.protocol] as ProtocolAdapter<CollectorSource>

/** A collector for this source, not yet started. */
export const createCollector = (source: CollectorSource, deps: CollectorDeps): Collector => adapterOf(source).create(source, deps)

/** Connects once and reports the result, until `signal` aborts; never rejects. */
export const probe = (source: CollectorSource, deps: ProbeDeps, signal?: AbortSignal): Promise<ProbeResult> =>
  adapterOf(source).probe(source, deps, signal ?? new AbortController().signal)
