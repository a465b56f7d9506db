import { type Fault, fault, type ModbusRegister } from '@haltless/protocol'
import { errorFault } from '../../support/error-message.ts'
import type { ModbusSource, ProbeDeps } from '../collector.ts'
import { ModbusException } from './errors.ts'
import { Gateway } from './gateway.ts'
import { FUNCTION_CODES } from './plan.ts'
import { addressee } from './request.ts'

/** What a unit answered: the bytes of registers or packed bits, or why there are none. */
export type RawAnswer = { data: Buffer; fault?: undefined } | { data?: undefined; fault: Fault; answered: boolean }

/**
 * Reads registers or bits once over a connection of its own.
 * @param quantity registers (1 to 125) or bits (1 to 2,000); where the device has fewer behind the address, as many as it has of the first 4, 2, 1
 */
export async function readOnce(
  source: ModbusSource,
  { table, address, quantity }: { table: ModbusRegister['table']; address: number; quantity: number },
  deps: ProbeDeps,
  signal: AbortSignal,
): Promise<RawAnswer> {
  return withGateway(source, deps, signal, async (gateway) => {
    let found: RawAnswer = { fault: fault('no_value'), answered: false }
    for (const count of new Set([quantity, ...[4, 2, 1].filter((fewer) => fewer < quantity)])) {
      found = await ask(gateway, source, { table, address, quantity: count })
      if (found.data || !found.answered) return found
    }
    return found
  })
}

/** Asks units one after another for holding register 0. @returns those that answered, also with an exception of their own */
export async function scanUnits(
  source: ModbusSource,
  units: readonly number[],
  deps: ProbeDeps,
  signal: AbortSignal,
  onUnit: (unit: number, words: string | null) => void,
): Promise<number[]> {
  return withGateway(source, deps, signal, async (gateway) => {
    const found: number[] = []
    for (const unit of units) {
      if (signal.aborted) break
      const config = { ...source.config, unit_id: unit }
      const answer = await ask(gateway, { ...source, config }, { table: 'holding', address: 0, quantity: 1 })
      const isThere = answer.data !== undefined || answer.answered
      if (isThere) found.push(unit)
      onUnit(unit, isThere ? (answer.fault?.detail ?? 'answers') : null)
    }
    return found
  })
}

async function withGateway<T>(
  source: ModbusSource,
  deps: ProbeDeps,
  signal: AbortSignal,
  work: (gateway: Gateway) => Promise<T>,
): Promise<T> {
  const gateway = new Gateway(source, deps)
  gateway.pacer.join(source.config)
  const giveUp = () => gateway.close()
  signal.addEventListener('abort', giveUp)
  try {
    return await work(gateway)
  } finally {
    signal.removeEventListener('abort', giveUp)
    gateway.close()
  }
}

async function ask(
  gateway: Gateway,
  { config }: ModbusSource,
  { table, address, quantity }: { table: ModbusRegister['table']; address: number; quantity: number },
): Promise<RawAnswer> {
  const request = { ...addressee(config), functionCode: FUNCTION_CODES[table], address, quantity }
  try {
    return { data: await gateway.read(request) }
  } catch (error) {
    const answered = error instanceof ModbusException && !error.isAboutTheUnit
    return { fault: errorFault(error), answered }
  }
}
