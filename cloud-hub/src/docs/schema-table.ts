import { html } from 'hono/html'
import { type DocSchema, nameOfRef } from './document.ts'
import { inlineMarkdown } from './markdown.ts'

/** Rows of nested objects are shown to this depth; what is deeper has a page of its own as an object. */
const MAX_DEPTH = 3

/** The type of a schema in words: `string (date-time)`, `array of Machine`, `"low" | "high"`. */
export function typeOf(schema: DocSchema): string {
  if (schema.$ref) return nameOfRef(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const parts = schema.oneOf ?? schema.anyOf
  if (parts) return [...new Set(parts.map(typeOf))].join(' | ')
  if (schema.allOf) return schema.allOf.map(typeOf).join(' & ')
  const types = [schema.type ?? 'any'].flat()
  if (types.includes('array') && schema.items)
    return [`array of ${typeOf(schema.items)}`, ...types.filter((one) => one !== 'array')].join(' | ')
  const name = types.join(' | ')
  return schema.format ? name.replace('string', `string (${schema.format})`) : name
}

/** Limits that the description does not say. */
function limitsOf({
  minLength,
  maxLength,
  minimum,
  maximum,
  minItems,
  maxItems,
  default: preset,
  description = '',
}: DocSchema): string[] {
  const says = (limit: number | undefined) =>
    limit === undefined || description.includes(String(limit)) || description.includes(limit.toLocaleString('en'))
  const between = (low: number | undefined, high: number | undefined, unit: string) => {
    if (says(high) && (low === undefined || low <= 1 || says(low))) return []
    return [`${low === undefined ? 'up to' : high === undefined ? `from ${low}` : `${low} to`} ${high ?? ''}${unit}`]
  }
  const isSafe = (value: number | undefined) =>
    value !== undefined && Math.abs(value) >= Number.MAX_SAFE_INTEGER ? undefined : value
  return [
    ...between(minLength, maxLength, ' characters'),
    ...between(isSafe(minimum), isSafe(maximum), ''),
    ...between(minItems, maxItems, ' items'),
    ...(preset === undefined ? [] : [`default ${JSON.stringify(preset)}`]),
  ]
}

type Markup = ReturnType<typeof html>

const refsOf = (schema: DocSchema): string[] => [
  ...(schema.$ref ? [nameOfRef(schema.$ref)] : []),
  ...[schema.items, ...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((part) =>
    part ? refsOf(part) : [],
  ),
]

/** Names of objects inside a type lead to their fields. */
const typeMarkup = (schema: DocSchema): Markup => {
  const objects = new Set(refsOf(schema))
  const parts = typeOf(schema).split(/\b([A-Z][A-Za-z]+)\b/)
  return html`${parts.map((part) => (objects.has(part) ? html`<a href="/docs/objects#${part}">${part}</a>` : part))}`
}

export interface Field {
  name: string
  schema: DocSchema
  isRequired: boolean
}

const fieldsOf = ({ properties = {}, required = [] }: DocSchema): Field[] =>
  Object.entries(properties).map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }))

/** Fields with their types, limits and meanings; those of nested objects below them. */
export function fieldList(schema: DocSchema, depth = 0): Markup {
  const variants = schema.oneOf ?? schema.anyOf
  if (schema.$ref) return html`<p>${typeMarkup(schema)}</p>`
  if (variants && !schema.properties) return html`<p>One of: ${typeMarkup(schema)}.</p>`
  const items = schema.items && [schema.type].flat().includes('array') ? schema.items : schema
  if (items.$ref) return html`<p>${typeMarkup(schema)}</p>`
  const fields = fieldsOf(items)
  return fields.length === 0 ? html`` : html`<dl class="fields">${fields.map((field) => fieldRow(field, depth))}</dl>`
}

export const fieldRow = ({ name, schema, isRequired }: Field, depth: number): Markup => html`
  <div>
    <dt><code>${name}</code> <span class="type">${typeMarkup(schema)}</span>${isRequired ? html` <span class="required">required</span>` : ''}</dt>
    <dd>${schema.description ? inlineMarkdown(schema.description) : ''}${limitsOf(schema).map((limit) => html` <span class="limit">${limit}</span>`)}
      ${depth < MAX_DEPTH && !schema.$ref ? fieldList(isNested(schema) ? schema : {}, depth + 1) : ''}</dd>
  </div>`

const isNested = (schema: DocSchema) =>
  schema.properties !== undefined || (schema.items !== undefined && schema.items.properties !== undefined)
