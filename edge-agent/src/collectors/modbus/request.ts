import { type Fault, fault, type ModbusConfig } from '@haltless/protocol'
import type { FunctionCode } from './plan.ts'

export interface ReadRequest {
  unitId: number
  /** unit id that the answer may carry instead */
  answersAs: number | undefined
  functionCode: FunctionCode
  /** zero-based */
  address: number
  /** registers, or bits for function codes 1 and 2 */
  quantity: number
  timeoutMs: number
}

/** The part of a request that the settings of the unit give. */
export const addressee = ({ unit_id, answers_as, timeout_ms }: ModbusConfig) => ({
  unitId: unit_id,
  answersAs: answers_as,
  timeoutMs: timeout_ms,
})

/** How a response contradicts its request; null when it matches. @param body unit id, function code, data */
export function answerMismatch(request: ReadRequest, body: Buffer): Fault | null {
  if (body[0] !== request.unitId && body[0] !== request.answersAs)
    return fault('modbus_other_unit', { unit: request.unitId, other: Number(body[0]) })
  const functionCode = body[1] as number
  if (functionCode === (request.functionCode | 0x80)) {
    return body.length === 3 ? null : fault('modbus_exception_length')
  }
  if (functionCode !== request.functionCode)
    return fault('modbus_other_function', { wanted: request.functionCode, other: functionCode })
  const expected = dataBytes(request)
  if (body[2] !== expected || body.length !== expected + 3) {
    return fault('modbus_byte_count', { expected, got: body.length - 3, claimed: Number(body[2]) })
  }
  return null
}

/** Bytes of data in the answer. */
export const dataBytes = ({ functionCode, quantity }: ReadRequest): number =>
  functionCode <= 2 ? (quantity + 7) >> 3 : quantity * 2
