import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Expression, type Function as FunctionNode, type Node, parseSync, visitorKeys } from 'oxc-parser'

export type Callable = FunctionNode | Extract<Expression, { type: 'ArrowFunctionExpression' }>

/** What a name stands for: an expression, a function, a parameter of a function, or a name in another file. */
export type Declaration =
  | { kind: 'value'; expression: Expression }
  | { kind: 'function'; callable: Callable }
  | { kind: 'parameter' }
  | { kind: 'import'; source: string; name: string }

interface Scoped {
  declaration: Declaration
  /** where the name is known */
  start: number
  end: number
}

export const isCallable = (node: Node): node is Callable =>
  node.type === 'ArrowFunctionExpression' || node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression'

/** The nodes directly below a node. */
export function children(node: Node): Node[] {
  const found: Node[] = []
  for (const key of visitorKeys[node.type] ?? []) {
    const value = (node as unknown as Record<string, Node | (Node | null)[] | null | undefined>)[key]
    if (Array.isArray(value)) {
      for (const item of value) if (item) found.push(item)
    } else if (value) found.push(value)
  }
  return found
}

/** The names of a pattern: `a`, `{ a, b: c }`, `a = 1`. */
function namesOf(pattern: Node): string[] {
  if (pattern.type === 'Identifier') return [pattern.name]
  if (pattern.type === 'Property') return namesOf(pattern.value)
  if (pattern.type === 'AssignmentPattern') return namesOf(pattern.left)
  if (pattern.type === 'RestElement') return namesOf(pattern.argument)
  if (pattern.type === 'ObjectPattern' || pattern.type === 'ArrayPattern') return children(pattern).flatMap(namesOf)
  return []
}

/** A TypeScript file with the names that it declares. */
export class SourceFile {
  readonly name: string
  readonly text: string
  readonly program: Node
  private readonly declared = new Map<string, Scoped[]>()

  constructor(name: string, text: string) {
    this.name = name
    this.text = text
    this.program = parseSync(name, text).program as Node
    this.collect(this.program, this.program)
  }

  lineOf = (at: number): number => this.text.slice(0, at).split('\n').length

  /** The innermost declaration of a name at a place of the file. */
  find(name: string, at: number): Declaration | undefined {
    const known = (this.declared.get(name) ?? []).filter(({ start, end }) => start <= at && at <= end)
    return known.toSorted((a, b) => a.end - a.start - (b.end - b.start))[0]?.declaration
  }

  private add(name: string, { start, end }: Node, declaration: Declaration): void {
    const known = this.declared.get(name)
    if (known) known.push({ declaration, start, end })
    else this.declared.set(name, [{ declaration, start, end }])
  }

  private collect(node: Node, scope: Node): void {
    if (node.type === 'VariableDeclarator' && node.init) {
      const callable = isCallable(node.init) ? node.init : undefined
      const declaration: Declaration = callable ? { kind: 'function', callable } : { kind: 'value', expression: node.init }
      if (node.id.type === 'Identifier') this.add(node.id.name, scope, declaration)
      else for (const name of namesOf(node.id)) this.add(name, scope, { kind: 'parameter' })
    }
    if (node.type === 'FunctionDeclaration' && node.id) this.add(node.id.name, scope, { kind: 'function', callable: node })
    if (node.type === 'ImportDeclaration')
      for (const part of node.specifiers)
        if (part.type === 'ImportSpecifier' && part.imported.type === 'Identifier')
          this.add(part.local.name, scope, { kind: 'import', source: node.source.value, name: part.imported.name })
    if (isCallable(node))
      for (const parameter of node.params) for (const name of namesOf(parameter)) this.add(name, node, { kind: 'parameter' })
    const inner = isCallable(node) || node.type === 'BlockStatement' || node.type === 'ForOfStatement' ? node : scope
    for (const child of children(node)) this.collect(child, inner)
  }
}

/** Source files by their path from the top of the repository, read once. */
export class SourceFiles {
  private readonly top: string
  private readonly files = new Map<string, SourceFile | null>()

  constructor(top: string) {
    this.top = top
  }

  read(name: string): SourceFile | null {
    const known = this.files.get(name)
    if (known !== undefined) return known
    const full = path.join(this.top, name)
    const file = existsSync(full) ? new SourceFile(name, readFileSync(full, 'utf8')) : null
    this.files.set(name, file)
    return file
  }

  /** What an import stands for; undefined outside the repository. Follows what an `index.ts` exports again. */
  resolve(
    from: SourceFile,
    { source, name }: { source: string; name: string },
  ): { file: SourceFile; declaration: Declaration } | undefined {
    const file = source.startsWith('.') ? this.read(path.join(path.dirname(from.name), source)) : null
    if (!file) return undefined
    const declaration = file.find(name, 0)
    if (declaration?.kind === 'import') return this.resolve(file, declaration)
    if (declaration) return { file, declaration }
    for (const node of children(file.program))
      if (node.type === 'ExportNamedDeclaration' && node.source)
        for (const { local, exported } of node.specifiers)
          if (exported.type === 'Identifier' && exported.name === name && local.type === 'Identifier')
            return this.resolve(file, { source: node.source.value, name: local.name })
    return undefined
  }
}
