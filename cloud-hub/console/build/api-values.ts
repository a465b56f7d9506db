// The enums and limits of the API as modules of the console and its client, made from the OpenAPI document.

interface Schema {
  enum?: (string | null)[]
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  maxLength?: number
  minLength?: number
  maximum?: number
  minimum?: number
  maxItems?: number
}

interface Operation {
  operationId?: string
  parameters?: { name?: string; in?: string; schema?: Schema }[]
  'x-access'?: string
  'x-token-scope'?: string | null
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const LIMITS = {
  maxLength: 'MAX_LENGTH',
  minLength: 'MIN_LENGTH',
  maximum: 'MAX',
  minimum: 'MIN',
  maxItems: 'MAX_ITEMS',
} as const
/** Lists that only tables of texts use, by their keys. */
const NOT_LISTED = ['ErrorCode', 'FieldErrorCode']

type ValueModule = 'filters' | 'enums' | 'limits' | 'token-scope-roles' | 'keyed-paths'

/**
 * One module each. `filters` holds the enums of query parameters, which the routes of the entry chunk use; `enums` those of bodies. `limits`
 * holds numbers that the bundler replaces by their values. `token-scope-roles` is for the dialog of tokens, `keyed-paths` for the client.
 */
export function apiValues({ paths, components }: ApiDocument): Record<ValueModule, string> {
  const fields = Object.entries(components.schemas).flatMap(([name, schema]) =>
    NOT_LISTED.includes(name) ? [] : fieldsOf(schema, constantOf(name)),
  )
  const parameters = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ operationId = '', parameters = [] }) =>
      parameters.flatMap(({ name = '', in: place, schema = {} }) =>
        place === 'query' ? fieldsOf(schema, constantOf(`${operationId}_${name}`)) : [],
      ),
    )
  return {
    filters: declare(parameters.flatMap(enumOf)),
    enums: declare(fields.flatMap(enumOf)),
    'token-scope-roles': leastRolesOf(paths, components.schemas.TokenScope?.enum ?? []),
    limits: declare(fields.flatMap(limitsOf)),
    'keyed-paths': keyedPathsOf(paths),
  }
}

/** Roles by rights, as `x-access` calls them. */
const ROLES: Record<string, string> = { any: 'viewer', operator: 'operator', admin: 'admin' }

/** The least role for which each scope of tokens opens an operation, in the order of the schema of scopes. */
function leastRolesOf(paths: ApiDocument['paths'], order: readonly unknown[]): string {
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const scopes = new Map(operations.map((operation) => [operation['x-token-scope'], new Set<string>()]))
  for (const operation of operations) scopes.get(operation['x-token-scope'])?.add(operation['x-access'] ?? '')
  const sorted = [...scopes].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  const least = sorted.flatMap(([scope, accesses]) => {
    const access = Object.keys(ROLES).find((one) => accesses.has(one))
    return scope && access && scope !== 'any' ? [`  '${scope}': '${ROLES[access]}',\n`] : []
  })
  return `/** The least role for which each scope of a token opens an operation. */\nexport const TOKEN_SCOPE_ROLES = {\n${least.join('')}} as const\n`
}

/** The paths whose POST takes an `Idempotency-Key`, without the prefix. */
function keyedPathsOf(paths: ApiDocument['paths']): string {
  const keyed = Object.entries(paths).filter(([, { post }]) => post?.parameters?.some(({ name }) => name === 'Idempotency-Key'))
  const lines = keyed.map(([path]) => `  '${path.replace('/api/v1', '')}',\n`).join('')
  return `/** The paths whose POST takes an \`Idempotency-Key\`. */\nexport const KEYED_PATHS: ReadonlySet<string> = new Set([\n${lines}])\n`
}

type Field = readonly [constant: string, schema: Schema]

/** A schema and all within it; null and an empty text beside it are no values of an enum. */
function fieldsOf(schema: Schema, constant: string): Field[] {
  const { properties = {}, items, anyOf = [] } = schema
  return [
    [constant, schema],
    ...Object.entries(properties).flatMap(([name, property]) => fieldsOf(property, `${constant}_${constantOf(name)}`)),
    ...(items ? fieldsOf(items, `${constant}_ITEM`) : []),
    ...anyOf.filter(({ enum: values }) => values?.join('') !== '').flatMap((option) => fieldsOf(option, constant)),
  ]
}

function enumOf([constant, schema]: Field): [string, string][] {
  const values = schema.enum?.filter((value) => typeof value === 'string') ?? []
  return values.length > 1 ? [[constant, `[${values.map((value) => `'${value}'`).join(', ')}] as const`]] : []
}

const limitsOf = ([constant, schema]: Field): [string, string][] =>
  Object.entries(LIMITS).flatMap(([key, suffix]) => {
    const limit = schema[key as keyof typeof LIMITS]
    const isLimit = limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER && !(key === 'minLength' && limit <= 1)
    return isLimit ? [[`${constant}_${suffix}`, String(limit)] satisfies [string, string]] : []
  })

/** Of two options of a field the first counts. */
const declare = (constants: [string, string][]): string =>
  [...new Map(constants.toReversed())]
    .toReversed()
    .map(([name, value]) => `export const ${name} = ${value}\n`)
    .join('')

const constantOf = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toUpperCase()
