import { expect, it } from 'vitest'
import { readTags } from './read-tags.ts'

it('a line is a tag, and a description after a tab or a bar', () => {
  expect(readTags('ns=2;s=Press.Temp, Oil\n\n  TT_101.PV | oil temperature\r\nP1\tbar\t0..10\nP1\tmbar')).toEqual([
    { raw_tag: 'ns=2;s=Press.Temp, Oil' },
    { raw_tag: 'TT_101.PV', context: 'oil temperature' },
    { raw_tag: 'P1', context: 'mbar' },
  ])
})
