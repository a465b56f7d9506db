import type { JsonSchema } from '../support/http/example.ts'

/** A schema of the API document, with what its page shows beside the shape. */
export interface DocSchema extends JsonSchema {
  properties?: Record<string, DocSchema>
  items?: DocSchema
  allOf?: DocSchema[]
  anyOf?: DocSchema[]
  oneOf?: DocSchema[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
}

interface Media {
  schema: DocSchema
  example?: unknown
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  required?: boolean
  description?: string
  schema: DocSchema
  example?: unknown
}

export interface Answer {
  $ref?: string
  description: string
  content?: Record<string, Media & { examples?: Record<string, unknown> }>
}

export interface Operation {
  operationId: string
  tags: [string, ...string[]]
  summary: string
  description: string
  deprecated?: boolean
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Answer>
}

/** What the pages read of the OpenAPI document. */
export interface ApiDocument {
  info: { description: string; version: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Omit<Operation, 'security'>>>
  components: { schemas: Record<string, DocSchema>; responses: Record<string, Answer> }
}

/** An operation with its place. */
export interface PlacedOperation extends Operation {
  method: string
  path: string
}

export const operationsOf = ({ paths }: ApiDocument): PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )

/** `#/components/schemas/Machine` -> `Machine` */
export const nameOfRef = (ref: string): string => ref.split('/').at(-1) ?? ''
