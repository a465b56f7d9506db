import { expect, it } from 'vitest'
import { canonicalEmail } from '../canonical-email.ts'
import { Email } from './email-address.ts'

it.each([
  ['  max@example.com\t\n', 'max@example.com'],
  ['Max@Example.COM', 'Max@example.com'],
  ['max@müller.example', 'max@xn--mller-kva.example'],
  ['max@MU\u0308LLER.example', 'max@xn--mller-kva.example'],
  ['max@XN--MLLER-KVA.example', 'max@xn--mller-kva.example'],
  ['почта@пример.рф', 'почта@xn--e1afmkfd.xn--p1ai'],
  ['用户@例子。中国', '用户@xn--fsqu00a.xn--fiqs8s'],
  ['JU\u0308RGEN@müller.example', 'jürgen@xn--mller-kva.example'],
  ['हिन्दी@उदाहरण.भारत', 'हिन्दी@xn--p1b6ci4b4b3a.xn--h2brj9c'],
  ["o'brien+tag@x.example", "o'brien+tag@x.example"],
])('%j is the address %s, and stays it', (given, address) => {
  expect(Email.parse(given)).toBe(address)
  expect(Email.parse(address)).toBe(address)
  expect(canonicalEmail(address)).toBe(address)
})

it.each([
  'nobody',
  'a@b',
  'a@b.example\r\nBcc: eve@x.example',
  'a@b.example, c@d.example',
  'Max <max@b.example>',
  '"a b"@x.example',
  'a..b@x.example',
  '.ü@x.example',
  'ü@',
  'a@[127.0.0.1]',
  'a@١٢٧.0.0.1',
  'a@ex%41mple.com',
  'a@b.example\u200b',
  'a\u202eb@x.example',
  'a\u200bb@x.example',
  'a\u0000@x.example',
  'a@ü\u202e.example',
  'a\ud800@x.example',
  'a@-x.example',
  'a＠x.example',
  `a@${'ü'.repeat(64)}.example`,
  `${'ü'.repeat(123)}@x.example`,
])('%j is not an address', (given) => {
  expect(Email.safeParse(given).success).toBe(false)
})

it('a long text costs no more than its length', () => {
  expect(Email.safeParse(`${'a'.repeat(100_000)}@`).success).toBe(false)
  expect(Email.safeParse(`a@${'a-'.repeat(490)}!`).success).toBe(false)
})
