import { FaultShape, fault } from '@haltless/protocol'
import { named } from '../../../support/http/z.ts'

/** A fault as the API shows it. */
export const FaultBody = named(FaultShape, 'Fault', { ...fault('modbus_no_answer', { unit: 1, limit: 2_000 }) })
