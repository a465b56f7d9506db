import { z } from 'zod'
import { FAULT_LIMITS, FAULT_SOURCES, type FaultParam } from './faults.ts'

/** @param depth how many faults may be within each other, this one included */
function shapeOf(depth: number) {
  const nested: z.ZodType | null = depth > 1 ? shapeOf(depth - 1) : null
  const isParam = (param: unknown): boolean => {
    if (typeof param === 'string') return param.length <= FAULT_LIMITS.paramChars
    return typeof param === 'number' ? Number.isFinite(param) : nested?.safeParse(param).success === true
  }
  const areParams = (params: Record<string, unknown>) =>
    Object.keys(params).length <= FAULT_LIMITS.params && Object.values(params).every(isParam)
  return z.object({
    code: z
      .string()
      .max(FAULT_LIMITS.codeChars)
      .regex(/^[a-z][a-z0-9_]*$/)
      .describe('What is wrong, such as `modbus_no_answer`. A newer agent may report a code that is not known here.'),
    params: z
      .record(z.string().max(FAULT_LIMITS.nameChars), z.unknown())
      .refine(areParams, 'must be a few texts, numbers or faults')
      .describe('The values of the text: texts, numbers, and other faults of the same shape.') as unknown as z.ZodType<
      Record<string, FaultParam>
    >,
    source: z
      .enum(FAULT_SOURCES)
      .describe('Who caused it: the `device`, the `network` on the way to it, the `agent`, the `hub`, or a `config`.'),
    detail: z.string().max(FAULT_LIMITS.detailChars).describe('The English sentence, for readers that do not know the code.'),
  })
}

/** A fault on the wire. */
export const FaultShape = shapeOf(FAULT_LIMITS.depth).refine(
  (given) => JSON.stringify(given).length <= FAULT_LIMITS.jsonChars,
  'is too large',
)
/** Collectors of one report. */
const NAMED_MAX = 200

/** A fault beside its sentence. One that breaks the rules is dropped, and the report that carries it stays valid. */
export const OptionalFault = z.preprocess((given) => FaultShape.safeParse(given).data ?? null, FaultShape.nullable()).optional()

/** Faults by the name of what they are about. Those that break the rules are dropped. */
export const NamedFaults = z.preprocess(validFaults, z.record(z.string().max(255), FaultShape)).optional()

function validFaults(given: unknown): Record<string, unknown> {
  if (typeof given !== 'object' || given === null) return {}
  const entries = Object.entries(given).slice(0, NAMED_MAX)
  return Object.fromEntries(entries.filter(([name, fault]) => name.length <= 255 && FaultShape.safeParse(fault).success))
}
