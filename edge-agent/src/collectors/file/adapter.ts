import type { FileSource, ProtocolAdapter } from '../collector.ts'
import { createFileCollector } from './collector.ts'
import { fileContract } from './contract.ts'
import { probeFile } from './probe.ts'

export const fileAdapter: ProtocolAdapter<FileSource> = {
  ...fileContract,
  needsClientIdentity: false,
  browser: null,
  create: createFileCollector,
  probe: probeFile,
}
