import { z } from '../../../support/http/z.ts'

/** The part of JSON Schema that configurations of collectors use. */
interface Schema {
  type?: string
  description?: string
  default?: unknown
  enum?: readonly unknown[]
  properties?: Record<string, Schema>
  items?: Schema
}

/** The keys of a configuration as one line of Markdown, each with its values or default; lists of objects come last. */
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
