/** The parts of a JSON schema that an example follows. */
export interface JsonSchema {
  $ref?: string
  example?: unknown
  const?: unknown
  enum?: unknown[]
  default?: unknown
  type?: string | string[]
  format?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  additionalProperties?: JsonSchema | boolean
  allOf?: JsonSchema[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  description?: string
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The same name gives the same id in the whole document, so examples agree on their `machine_id`. */
export function exampleId(name: string): string {
  let hash = 0x811c9dc5
  for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0
  return `0198c7d4-5a00-7000-8000-${hash.toString(16).padStart(12, '0')}`
}

/** `#/components/schemas/MachineGroupWithMembers` -> `group_id`: the `id` of a thing is what paths and other things call it. */
const idNameOf = (ref: string) => {
  const words = (ref.split('/').at(-1) ?? '').replace(/(With[A-Z]\w*|Node)$/, '').match(/[A-Z][a-z]*/g)
  return `${words?.at(-1)?.toLowerCase()}_id`
}

/** Copies fields of the request example into the response example: fields of the same name, with maps merged. */
export function overlayExample(answer: unknown, given: unknown): unknown {
  if (!isObject(answer) || !isObject(given)) return answer
  const shared = Object.keys(answer).filter((key) => given[key] !== undefined)
  const value = (key: string) => (isObject(answer[key]) && isObject(given[key]) ? { ...answer[key], ...given[key] } : given[key])
  return { ...answer, ...Object.fromEntries(shared.map((key) => [key, value(key)])) }
}

/**
 * Composes the example of a schema. Its own example comes first, then required properties, constants, enumerations and formats.
 */
export class Examples {
  readonly #components: Record<string, JsonSchema>

  constructor(components: Record<string, JsonSchema>) {
    this.#components = components
  }

  /**
   * @param name of the property that contains the value, for ids
   * @returns undefined when neither the schema nor its type gives an example
   */
  of(schema: JsonSchema, name = 'id'): unknown {
    if (schema.$ref)
      return this.of(this.#components[schema.$ref.split('/').at(-1) ?? ''] ?? {}, name === 'id' ? idNameOf(schema.$ref) : name)
    if (schema.properties) return this.#ofObject(schema, name)
    if (schema.example !== undefined) return schema.example
    for (const part of [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) {
      const found = this.of(part, name)
      if (found !== undefined && found !== '' && found !== null) return found
    }
    if (schema.const !== undefined) return schema.const
    if (schema.enum) return schema.enum[0]
    if (schema.default !== undefined) return schema.default
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
    if (type === 'array') {
      const item = this.of(schema.items ?? {}, name.endsWith('ids') ? name.slice(0, -1) : 'id')
      return item === undefined ? undefined : [item]
    }
    if (type === 'boolean') return true
    return schema.format === 'uuid' ? exampleId(name) : undefined
  }

  #ofObject(schema: JsonSchema, name: string): Record<string, unknown> {
    const given = isObject(schema.example) ? schema.example : {}
    const example: Record<string, unknown> = {}
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      const value =
        key in given ? given[key] : schema.required?.includes(key) ? this.of(property, key === 'id' ? name : key) : undefined
      if (value !== undefined) example[key] = value
    }
    return example
  }
}
