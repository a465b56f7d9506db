import { FIELD_MESSAGES, type FieldErrorCode } from '../../error-codes/field-messages.ts'
import { z } from './z.ts'

const codeTable = Object.entries(FIELD_MESSAGES)
  .map(([code, message]) => `| \`${code}\` | ${message} |`)
  .join('\n')

const Code = z.enum(Object.keys(FIELD_MESSAGES) as [FieldErrorCode, ...FieldErrorCode[]]).openapi('FieldErrorCode', {
  description: `What is wrong with a value. Codes are stable: decide by them, and word them in other languages. The names in braces are \`params\`.\n\n| code | message |\n|---|---|\n${codeTable}`,
})

const shape = {
  message: z.string().describe('What is wrong with the value, in English; it continues the path, as in "body.name is required".'),
  code: Code,
  params: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .describe('The values of the message, by the names of its code.'),
}

/** One field at fault of a request. */
export const FieldFault = z
  .object({
    path: z.string().describe('Where the fault is: `body.`, `query.` or a part of them, such as `body.config.url`.'),
    ...shape,
  })
  .openapi('FieldError', {
    description: 'What is wrong with one field of a request.',
    example: { path: 'body.name', message: 'is required', code: 'required', params: {} },
  })

/** What is wrong with a row of a file, as code and parameters. */
export const RowFaults = z
  .array(z.object({ path: z.string().describe('The column; empty for the row as a whole.'), ...shape }))
  .describe('The same as `reason`, for each column at fault.')
