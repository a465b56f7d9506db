import type { Expression, Node, TemplateLiteral } from 'oxc-parser'
import { type Callable, children, isCallable, type SourceFile, type SourceFiles } from './source-file.ts'

/** A template of `postgres` that is a whole statement. */
export interface Statement {
  line: number
  /** its text as PostgreSQL would get it: first with each conditional fragment, then without */
  variants: string[]
  /** it runs on a parameter `allTenants`, or in a function that has one */
  isForAllTenants: boolean
}

type Template = Extract<Expression, { type: 'TaggedTemplateExpression' }>

/** A value of an expression: SQL, or a parameter that PostgreSQL gets apart from the text. */
type Part = { sql: string } | 'parameter'

/** What the parameters of a called function stand for. */
type Bindings = ReadonlyMap<string, { expression: Expression; place: Place }>

interface Place {
  file: SourceFile
  bindings: Bindings
  /** which branch of a condition is rendered */
  isTrue: boolean
  depth: number
}

/** Fragments that call each other end here. */
const MAX_DEPTH = 16
const STARTS_STATEMENT =
  /^\s*\(?\s*(?:with|select|insert|update|delete|merge|truncate|create|drop|alter|lock|set|reset|copy|listen|notify|begin|commit|analyze|vacuum|grant|revoke|explain|declare|fetch|close|show|call|do|comment|savepoint|rollback|values)\b/i

/** The statements of a file. Fragments are parsed within the statements that contain them. */
export function statementsOf(files: SourceFiles, file: SourceFile): Statement[] {
  const statements: Statement[] = []
  const visit = (node: Node, functions: Callable[], isNested: boolean): void => {
    const isSql = node.type === 'TaggedTemplateExpression' && isSqlTag(file, node)
    if (isSql && !isNested) {
      const variants = [true, false].map((isTrue) => renderTemplate(files, node, { file, bindings: new Map(), isTrue, depth: 0 }))
      if (STARTS_STATEMENT.test(variants[0] as string))
        statements.push({
          line: file.lineOf(node.start),
          variants: [...new Set(variants)],
          isForAllTenants: isForAllTenants(file, node, functions),
        })
    }
    const inner = isCallable(node) ? [...functions, node] : functions
    for (const child of children(node)) visit(child, inner, isNested || isSql)
  }
  visit(file.program, [], false)
  return statements
}

const textOf = (file: SourceFile, { start, end }: Node): string => file.text.slice(start, end)

const isForAllTenants = (file: SourceFile, node: Template, functions: Callable[]): boolean =>
  /\ballTenants\b/.test(textOf(file, node.tag)) ||
  functions.some(({ params }) => params.some((parameter) => /\ballTenants\b/.test(textOf(file, parameter))))

/** Tags are clients and transactions of `postgres`, not `String.raw` and not `sql` of drizzle-orm. */
function isSqlTag(file: SourceFile, { tag }: Template): boolean {
  if (textOf(file, tag) === 'String.raw') return false
  if (tag.type !== 'Identifier') return true
  const declaration = file.find(tag.name, tag.start)
  return declaration?.kind !== 'import' || declaration.source !== 'drizzle-orm'
}

function renderTemplate(files: SourceFiles, { quasi }: Template, place: Place): string {
  return render(quasi, (expression, before) => {
    const part = renderPart(files, expression, place, before)
    return part === 'parameter' ? '$1' : part.sql
  })
}

function render({ quasis, expressions }: TemplateLiteral, value: (expression: Expression, before: string) => string): string {
  let text = quasis[0]?.value.raw ?? ''
  expressions.forEach((expression, index) => {
    text += value(expression, text) + (quasis[index + 1]?.value.raw ?? '')
  })
  return text.replaceAll('\\\\', '\\').replaceAll('\\`', '`')
}

/** @param before the text of the statement before the expression, which decides what a helper `sql(...)` becomes */
function renderPart(files: SourceFiles, expression: Expression, given: Place, before: string): Part {
  const place = { ...given, depth: given.depth + 1 }
  if (place.depth > MAX_DEPTH) return 'parameter'
  const again = (next: Expression) => renderPart(files, next, place, before)
  switch (expression.type) {
    case 'TaggedTemplateExpression':
      return isSqlTag(place.file, expression) ? { sql: renderTemplate(files, expression, place) } : 'parameter'
    case 'ConditionalExpression':
      return again(place.isTrue ? expression.consequent : expression.alternate)
    case 'LogicalExpression': {
      const left = again(expression.left)
      return left === 'parameter' ? again(expression.right) : left
    }
    case 'TSAsExpression':
    case 'TSNonNullExpression':
    case 'TSSatisfiesExpression':
    case 'ParenthesizedExpression':
      return again(expression.expression)
    case 'Identifier':
      return renderName(files, expression, place, before)
    case 'CallExpression':
      return renderCall(files, expression, place, before)
    default:
      return 'parameter'
  }
}

function renderName(files: SourceFiles, { name, start }: { name: string; start: number }, place: Place, before: string): Part {
  const bound = place.bindings.get(name)
  const declaration = place.file.find(name, start)
  if (declaration?.kind === 'parameter')
    return bound ? renderPart(files, bound.expression, { ...bound.place, depth: place.depth }, before) : 'parameter'
  const found =
    declaration?.kind === 'import' ? files.resolve(place.file, declaration) : declaration && { file: place.file, declaration }
  if (found?.declaration.kind !== 'value') return 'parameter'
  return renderPart(files, found.declaration.expression, { ...place, file: found.file }, before)
}

type Call = Extract<Expression, { type: 'CallExpression' }>

function renderCall(files: SourceFiles, { callee, arguments: given }: Call, place: Place, before: string): Part {
  const [first] = given
  if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && callee.property.name === 'unsafe')
    return { sql: first && first.type !== 'SpreadElement' ? (renderText(files, first, place) ?? 'unknown') : 'unknown' }
  if (callee.type !== 'Identifier') return helperOr(before)
  const declaration = place.file.find(callee.name, callee.start)
  const found =
    declaration?.kind === 'import' ? files.resolve(place.file, declaration) : declaration && { file: place.file, declaration }
  if (found?.declaration.kind === 'function')
    return renderReturned(files, found.declaration.callable, given, place, found.file, before)
  return declaration?.kind === 'parameter' && IS_CLIENT.test(callee.name)
    ? { sql: helperOf(before) ?? 'unknown' }
    : helperOr(before)
}

const IS_CLIENT = /^(?:sql|tx|allTenants)$/

/** `sql(rows)` or `sql(values)`, where only they can stand; a name of a table or column elsewhere. An insert needs its tenant at run time. */
function helperOf(before: string): string | null {
  if (/\bset\s*$/i.test(before)) return 'unknown = $1'
  if (/\binsert into\s+[\w.]+(?: as \w+)?\s*$/i.test(before)) return '(tenant_id) values ($1)'
  if (/\b(?:values|in)\s*$/i.test(before)) return '($1)'
  return /\b(?:from|into|update|join)\s*$/i.test(before) ? 'unknown' : null
}

function helperOr(before: string): Part {
  const sql = helperOf(before)
  return sql === null ? 'parameter' : { sql }
}

function renderReturned(
  files: SourceFiles,
  callable: Callable,
  given: Call['arguments'],
  place: Place,
  file: SourceFile,
  before: string,
): Part {
  const bindings = new Map<string, { expression: Expression; place: Place }>()
  callable.params.forEach((parameter, index) => {
    const argument = given[index]
    if (parameter.type === 'Identifier' && argument && argument.type !== 'SpreadElement')
      bindings.set(parameter.name, { expression: argument, place })
  })
  for (const expression of returned(callable)) {
    const part = renderPart(files, expression, { file, bindings, isTrue: place.isTrue, depth: place.depth }, before)
    if (part !== 'parameter') return part
  }
  return 'parameter'
}

function returned(callable: Callable): Expression[] {
  const { body } = callable
  if (!body) return []
  if (body.type !== 'BlockStatement') return [body]
  const found: Expression[] = []
  const visit = (node: Node): void => {
    if (node.type === 'ReturnStatement' && node.argument) found.push(node.argument)
    if (!isCallable(node)) for (const child of children(node)) visit(child)
  }
  visit(body)
  return found
}

/** The text of a string that becomes SQL; null where only the program knows it. */
function renderText(files: SourceFiles, expression: Expression, given: Place): string | null {
  const place = { ...given, depth: given.depth + 1 }
  if (place.depth > MAX_DEPTH) return null
  if (expression.type === 'Literal') return String(expression.value)
  if (expression.type === 'TemplateLiteral') return render(expression, (part) => renderText(files, part, place) ?? 'unknown')
  if (expression.type === 'ConditionalExpression')
    return renderText(files, place.isTrue ? expression.consequent : expression.alternate, place)
  if (expression.type === 'MemberExpression') return renderProperty(files, expression, place)
  if (expression.type !== 'Identifier') return null
  const bound = place.bindings.get(expression.name)
  const declaration = place.file.find(expression.name, expression.start)
  if (declaration?.kind === 'parameter')
    return bound ? renderText(files, bound.expression, { ...bound.place, depth: place.depth }) : null
  const found =
    declaration?.kind === 'import' ? files.resolve(place.file, declaration) : declaration && { file: place.file, declaration }
  return found?.declaration.kind === 'value'
    ? renderText(files, found.declaration.expression, { ...place, file: found.file })
    : null
}

type Member = Extract<Expression, { type: 'MemberExpression' }>

/** `columns.machines`: the text of a property of a constant object. */
function renderProperty(files: SourceFiles, { object, property }: Member, place: Place): string | null {
  if (object.type !== 'Identifier' || property.type !== 'Identifier') return null
  const declaration = place.file.find(object.name, object.start)
  const found =
    declaration?.kind === 'import' ? files.resolve(place.file, declaration) : declaration && { file: place.file, declaration }
  if (found?.declaration.kind !== 'value' || found.declaration.expression.type !== 'ObjectExpression') return null
  for (const each of found.declaration.expression.properties)
    if (each.type === 'Property' && each.key.type === 'Identifier' && each.key.name === property.name)
      return renderText(files, each.value, { ...place, file: found.file })
  return null
}
