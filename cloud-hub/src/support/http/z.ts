import { extendZodWithOpenApi } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'

extendZodWithOpenApi(z)

/** zod with `.openapi()`: shapes of the API are written with this one. */
export { z }

/** A shape of the protocol under a name in the API document. Made anew, because it may be older than the extension above. */
export const named = <T extends z.ZodType>(shape: T, name: string, example: Record<string, unknown>): T =>
  shape.clone().openapi(name, { example }) as T
