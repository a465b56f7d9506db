import { expect, it } from 'vitest'
import { sanitizeName } from './sanitize-name.ts'

it.each([
  ['Müller & Söhne GmbH & Co. KG', 'Müller & Söhne GmbH & Co. KG'],
  ['Werk St.Gallen 3', 'Werk St. Gallen 3'],
  ['You won! https://evil.example/x?y', 'You won!'],
  ['evil.example/login now', 'evil. example login now'],
  ['www.evil.example', ''],
  ['a@evil.example', 'a evil. example'],
  ['A\r\nBcc: x\u202e\u0000y\u200b', 'A Bcc: x y'],
  ['ｅｖｉｌ．ｃｏｍ', 'ｅｖｉｌ. ｃｏｍ'],
  ['x'.repeat(200), `${'x'.repeat(79)}…`],
])('%j is written %j', (name, written) => expect(sanitizeName(name)).toBe(written))
