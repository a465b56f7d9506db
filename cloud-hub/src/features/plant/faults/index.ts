import { type Fault, FaultShape, fault } from '@haltless/protocol'
import { named } from '../../../support/http/z.ts'

/** A fault as the API shows it. */
export const FaultBody = named(FaultShape, 'Fault', { ...fault('modbus_no_answer', { unit: 1, limit: 2_000 }) })

/** The fault beside a stored text; null where it is of another text, because a hub of an older version wrote only that. */
export const faultOfText = (stored: Fault | null, text: string | null): Fault | null =>
  stored && stored.detail === text ? stored : null
