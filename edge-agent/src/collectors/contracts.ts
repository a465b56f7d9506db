import type { CollectorSource } from './collector.ts'
import type { CollectorContract, TagSettings } from './contract.ts'
import { fileContract } from './file/contract.ts'
import { modbusContract } from './modbus/contract.ts'
import { mqttContract } from './mqtt/contract.ts'
import { opcUaContract } from './opcua/contract.ts'
import { s7Contract } from './s7/contract.ts'
import { sparkplugContract } from './sparkplug/contract.ts'

/** By the `protocol` of a collector in agent.yaml. */
export const contracts = {
  opcua: opcUaContract,
  modbus: modbusContract,
  s7: s7Contract,
  file: fileContract,
  mqtt: mqttContract,
  sparkplug: sparkplugContract,
}

export const contractOf = (protocol: CollectorSource['protocol']) => contracts[protocol] as unknown as CollectorContract

/** The tags of a source, with the path of each in its configuration. */
export const tagSettingsOf = ({ protocol, config }: CollectorSource): { at: string; tag: TagSettings & object }[] => {
  const { tagList } = contractOf(protocol)
  return (config as unknown as Record<string, TagSettings[]>)[tagList]?.map((tag, i) => ({ at: `${tagList}[${i}]`, tag })) ?? []
}
