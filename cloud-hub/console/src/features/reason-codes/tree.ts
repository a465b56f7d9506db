import type { Schemas } from '../../api/client.ts'

type ReasonCode = Schemas['ReasonCode']

/** The codes as a tree from top to bottom, in the order of the API. A code whose parent is not among them stands at the top. */
export function inTree(codes: readonly ReasonCode[]): { code: ReasonCode; depth: number }[] {
  const ids = new Set(codes.map(({ id }) => id))
  const children = Map.groupBy(codes, ({ parent_id }) => (parent_id !== null && ids.has(parent_id) ? parent_id : null))
  const below = (parent: string | null, depth: number): { code: ReasonCode; depth: number }[] =>
    (children.get(parent) ?? []).flatMap((code) => [{ code, depth }, ...below(code.id, depth + 1)])
  return below(null, 0)
}

/** A code and all codes below it: none of them can become its parent. */
export function withBelow(codes: readonly ReasonCode[], id: string): Set<string> {
  const found = new Set([id])
  for (const { code } of inTree(codes)) if (code.parent_id !== null && found.has(code.parent_id)) found.add(code.id)
  return found
}
