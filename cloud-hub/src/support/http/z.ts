import { extendZodWithOpenApi } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'

extendZodWithOpenApi(z)

/** zod with `.openapi()`: shapes of the API are written with this one. */
export { z }

/** Names a protocol schema in the API document. It is cloned, because the original may be older than the extension above. */
export const named = <T extends z.ZodType>(shape: T, name: string, example: Record<string, unknown>): T =>
  shape.clone().openapi(name, { example }) as T
