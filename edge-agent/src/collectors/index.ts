export * from './collector.ts'
export type { ServerCertificate } from './opcua/pki.ts'
export { fetchServerCertificate, listServerCertificates, trustServer } from './opcua/trust.ts'
export { createCollector, probe } from './registry.ts'
