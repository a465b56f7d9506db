import { type Fault, fault } from '@haltless/protocol'
import { checkMachine, type MachineValues } from '../../plant/machines/index.ts'
import type { Asset } from '../providers/index.ts'

/** A machine of the tenant with an identifier of the page. */
export interface KnownMachine {
  id: string
  identifier: string
  name: string
  location: string | null
  isActive: boolean
}

/** The asset of an earlier pull that a machine belongs to. */
export interface Link {
  machineId: string
  identifier: string
  externalId: string
  /** when a pull last saw the asset */
  seenAt: Date
}

/** What a pull does with an asset. */
export type Match = { asset: Asset } & (
  | { kind: 'create'; values: MachineValues }
  | { kind: 'update'; values: MachineValues; machineId: string }
  | { kind: 'unchanged'; machineId: string; reason: Fault | null }
  | { kind: 'conflict'; reason: Fault }
)

export interface Known {
  /** by identifier */
  machines: ReadonlyMap<string, KnownMachine>
  links: readonly Link[]
  /** the start of the last pull that saw all assets: what was seen before has vanished from the ERP; null: there was none */
  lastCompletePull: Date | null
}

/**
 * Decides what becomes of the assets of a page. A machine belongs to the asset that was matched first; another asset with its
 * identifier is a conflict, unless the first one has vanished from the ERP.
 */
export function matchAssets(assets: readonly Asset[], known: Known): Match[] {
  const byExternalId = new Map(known.links.map((link) => [link.externalId, link]))
  const byMachine = new Map(known.links.map((link) => [link.machineId, link]))
  const seen = new Map<string, string>()
  const distinct = [...new Map(assets.map((asset) => [asset.externalId, asset])).values()]
  return distinct.map((asset): Match => {
    const conflict = (reason: Fault): Match => ({ asset, kind: 'conflict', reason })
    const values = valuesOf(asset)
    if (Array.isArray(values))
      return conflict(fault('erp_asset_invalid', { reason: values.map(({ path, message }) => `${path} ${message}`).join('; ') }))
    const identifier = values.machine_identifier
    const other = seen.get(identifier)
    if (other !== undefined) return conflict(twice(identifier, other))
    const link = byExternalId.get(asset.externalId)
    if (link && link.identifier !== identifier)
      return conflict(fault('erp_asset_renamed', { before: link.identifier, machine: identifier }))
    const machine = known.machines.get(identifier)
    const owner = machine && byMachine.get(machine.id)
    const hasVanished = known.lastCompletePull !== null && owner !== undefined && owner.seenAt < known.lastCompletePull
    if (owner && owner.externalId !== asset.externalId && !hasVanished) return conflict(twice(identifier, owner.externalId))
    seen.set(identifier, asset.externalId)
    return machine ? compare(asset, machine, values) : { asset, kind: 'create', values }
  })
}

const twice = (machine: string, other: string) => fault('erp_asset_repeated', { other, machine })

function compare(asset: Asset, machine: KnownMachine, values: MachineValues): Match {
  const location = asset.location === undefined ? machine.location : values.location
  if (!machine.isActive) return { asset, kind: 'unchanged', machineId: machine.id, reason: fault('erp_machine_inactive') }
  if (machine.name === values.name && machine.location === location)
    return { asset, kind: 'unchanged', machineId: machine.id, reason: null }
  return { asset, kind: 'update', machineId: machine.id, values: { ...values, location } }
}

/** Some ERPs write identifiers as numbers. */
const textOf = (value: unknown) => (typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value)

const valuesOf = ({ machineIdentifier, name, location }: Asset) =>
  checkMachine({
    machine_identifier: textOf(machineIdentifier),
    name: textOf(name),
    protocol: 'json',
    ...(location === undefined ? {} : { location: textOf(location) }),
  })
