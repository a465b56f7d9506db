import { expect, it } from 'vitest'
import { identifierOf } from './identifier.ts'

it.each([
  ['Press 1', 'press-1'],
  ['Kühlpumpe 3 (Süd)', 'kuehlpumpe-3-sued'],
  ['Łódź / Oven #2', 'lodz-oven-2'],
  ['Énergie', 'energie'],
  ['  ', ''],
  ['印刷机', ''],
])('the name %s suggests the identifier %s', (name, identifier) => expect(identifierOf(name)).toBe(identifier))

it('is no longer than the hub takes', () => expect(identifierOf('a'.repeat(1_000)).length).toBe(255))
