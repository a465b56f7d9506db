import { extendZodWithOpenApi } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'

extendZodWithOpenApi(z)

/** zod with `.openapi()`: shapes of the API are written with this one. */
export { z }
