import type { Schemas } from '../api/client.ts'

type Node = Schemas['MachineGroupNode']

/** The groups of a tree from top to bottom, with how deep each one is. */
export function flattenGroups(nodes: readonly Node[], depth = 0): { group: Node; depth: number }[] {
  return nodes.flatMap((group) => [{ group, depth }, ...flattenGroups(group.children, depth + 1)])
}

/** The groups for a select, indented by their depth. */
export const groupOptions = (nodes: readonly Node[]): (readonly [id: string, name: string])[] =>
  flattenGroups(nodes).map(({ group, depth }) => [group.id, `${'\u2003'.repeat(depth)}${group.name}`] as const)
