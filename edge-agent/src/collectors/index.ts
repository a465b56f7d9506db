export { systemClock } from '../support/clock.ts'
export { browseSource, nothingFound } from './browse-source.ts'
export { clockConsequence, clockProblem, offsetText } from './clock-text.ts'
export * from './collector.ts'
export { CollectorHosts } from './host/collector-hosts.ts'
export type { MissedPollSpan } from './missed-polls.ts'
export { settingFault as registerFault } from './modbus/decode.ts'
export { type Interpretation, interpret, textIn } from './modbus/interpret.ts'
export { type RawAnswer, readOnce, scanUnits } from './modbus/read-once.ts'
export { type BrowsePage, type BrowseQuery, browseOpcUa, type FoundNode } from './opcua/browse.ts'
export { certificateIn, type ServerCertificate } from './opcua/certificate.ts'
export { compareNamespaces, type NamespaceComparison } from './opcua/namespaces.ts'
export {
  adoptClientIdentity,
  clientIdentity,
  fetchServerCertificate,
  listServerCertificates,
  trustServer,
} from './opcua/trust.ts'
export { adapterOf, createCollector, probe } from './registry.ts'
