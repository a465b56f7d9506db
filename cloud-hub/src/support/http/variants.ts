import type { ZodOpenAPIMetadata } from '@asteasolutions/zod-to-openapi'
import type { JsonSchema } from './example.ts'
import { z } from './z.ts'

interface Discriminated extends JsonSchema {
  title?: string
  discriminator?: { propertyName: string; mapping?: Record<string, string> }
}

/** What the document shows of a configuration. Patterns and lengths stay out, because answers have `***` in place of secrets. */
const SHOWN = ['type', 'enum', 'const', 'description', 'required', 'anyOf', 'oneOf'] as const

/**
 * For the document: the shape of `config` depends on `property`, such as `channel_type`. The result is metadata of the object with both.
 * @param configs the shape for each value of `property`, as requests send it
 * @param texts descriptions of keys whose shapes have none, by the name of the key
 */
export function configVariants(
  { property, texts }: { property: string; texts: Record<string, string> },
  configs: Record<string, z.ZodType>,
): Pick<ZodOpenAPIMetadata, 'oneOf' | 'discriminator'> {
  const oneOf: Discriminated[] = Object.entries(configs).map(([value, config]) => ({
    title: value.replace(/(^|_)([a-z])/g, (_, _separator, letter: string) => letter.toUpperCase()),
    type: 'object',
    description: `With \`${property}\` \`${value}\`.`,
    properties: {
      [property]: { type: 'string', enum: [value], description: 'Decides the keys of `config`.' },
      config: { description: 'Keys of this kind; secrets are answered as `***`.', ...shown(jsonSchemaOf(config), '', texts) },
    },
    required: [property, 'config'],
  }))
  return { oneOf: oneOf as ZodOpenAPIMetadata['oneOf'], discriminator: { propertyName: property } }
}

const jsonSchemaOf = (config: z.ZodType) => z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' }) as JsonSchema

function shown(schema: JsonSchema, key: string, texts: Record<string, string>): JsonSchema {
  const kept: JsonSchema = Object.fromEntries(SHOWN.filter((name) => name in schema).map((name) => [name, schema[name]]))
  if (!kept.description && texts[key]) kept.description = texts[key]
  if (schema.default !== undefined && schema.default !== null)
    kept.description = `${kept.description ?? ''} Default: ${JSON.stringify(schema.default)}.`.trim()
  if (schema.anyOf) kept.anyOf = schema.anyOf.map((part) => shown(part, '', texts))
  if (schema.oneOf) kept.oneOf = schema.oneOf.map((part) => shown(part, '', texts))
  if (schema.items) kept.items = shown(schema.items, '', texts)
  if (typeof schema.additionalProperties === 'object') kept.additionalProperties = shown(schema.additionalProperties, '', texts)
  if (schema.properties)
    kept.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, shown(property, name, texts)]),
    )
  return kept
}

/**
 * Makes a component of each variant, with the properties that all of them share: OpenAPI 3.1 ignores inline variants ("Discriminator
 * Object").
 */
export function hoistVariants(schemas: Record<string, JsonSchema>): void {
  for (const [name, schema] of Object.entries(schemas) as [string, Discriminated][]) {
    const { discriminator, oneOf, properties, required = [], type, ...rest } = schema
    if (!discriminator || !oneOf) continue
    const mapping: Record<string, string> = {}
    const refs = (oneOf as Discriminated[]).map(({ title, ...variant }) => {
      const component = `${name}${title}`
      schemas[component] = {
        ...variant,
        properties: { ...properties, ...variant.properties },
        required: [...new Set([...required, ...(variant.required ?? [])])],
      }
      const $ref = `#/components/schemas/${component}`
      mapping[String(variant.properties?.[discriminator.propertyName]?.enum?.[0])] = $ref
      return { $ref }
    })
    schemas[name] = { ...rest, oneOf: refs, discriminator: { ...discriminator, mapping } } as Discriminated
  }
}

/**
 * Turns defaults of optional properties into text: generators take a property with a default for one that is always there, in requests
 * too.
 */
export function describeDefaults(schema: JsonSchema): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    describeDefaults(property)
    if (property.default === undefined || schema.required?.includes(name)) continue
    if (!/default/i.test(property.description ?? ''))
      property.description = `${property.description ?? ''} Default: ${JSON.stringify(property.default)}.`.trim()
    delete property.default
  }
  const inner = [
    schema.items,
    schema.additionalProperties,
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ]
  for (const part of inner) if (typeof part === 'object') describeDefaults(part)
}
