import { expect, it } from 'vitest'
import type { Schemas } from '../../api/client.ts'
import { inTree, withBelow } from './tree.ts'

const code = (id: string, parent_id: string | null) => ({ id, parent_id }) as Schemas['ReasonCode']
const codes = [code('b', null), code('b2', 'b'), code('a', null), code('b1', 'b'), code('b21', 'b2'), code('lost', 'gone')]

it('codes stand below their parent in the order of the API, and one without its parent at the top', () => {
  expect(inTree(codes).map((it) => [it.code.id, it.depth])).toEqual([
    ['b', 0],
    ['b2', 1],
    ['b21', 2],
    ['b1', 1],
    ['a', 0],
    ['lost', 0],
  ])
})

it('a code cannot come below itself or what is below it', () => {
  expect([...withBelow(codes, 'b')]).toEqual(['b', 'b2', 'b21', 'b1'])
})
