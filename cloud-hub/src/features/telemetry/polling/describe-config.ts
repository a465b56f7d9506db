import { z } from '../../../support/http/z.ts'

/** The keywords of JSON Schema that collector configurations use. */
interface Schema {
  type?: string
  description?: string
  default?: unknown
  enum?: readonly unknown[]
  properties?: Record<string, Schema>
  items?: Schema
}

/** Describes the keys of a configuration in one line of Markdown, with values and defaults. Lists of objects come last. */
export function describeConfig(config: z.ZodType): string {
  const keys = Object.entries((z.toJSONSchema(config, { io: 'input' }) as Schema).properties ?? {})
  const isList = ([, { items }]: [string, Schema]) => items?.properties !== undefined
  return [...keys.filter((entry) => !isList(entry)), ...keys.filter(isList)]
    .map(([key, schema]) => describeKey(key, schema))
    .join(', ')
}

function describeKey(key: string, { description, default: fallback, enum: values, items }: Schema): string {
  if (items?.properties) {
    const tags = Object.entries(items.properties).map(([tagKey, schema]) => describeKey(tagKey, schema))
    return `\`${key}\`: ${tags.join(', ')}`
  }
  const notes = [
    ...(values ? [values.map((value) => `\`${value}\``).join(', ')] : []),
    ...(typeof fallback === 'number' ? [`default ${fallback.toLocaleString('en')}`] : []),
    ...(fallback && typeof fallback === 'string' ? [`default \`${fallback}\``] : []),
    ...(description ? [description] : []),
  ]
  return `\`${key}\`${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`
}
