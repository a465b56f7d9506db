import canonicalize from 'canonicalize'
import { expect, it } from 'vitest'

it('canonical JSON follows the examples of RFC 8785, 3.2.2 and 3.2.3', () => {
  const sample = {
    // biome-ignore lint/correctness/noPrecisionLoss: the literal of the RFC
    numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
    literals: [null, true, false],
  }
  expect(canonicalize(sample)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  )
  const keys = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 }
  expect(Object.values(JSON.parse(canonicalize(keys) as string))).toHaveLength(7)
  expect([...(canonicalize(keys) as string).matchAll(/:(\d)/g)].map(([, n]) => n).join('')).toBe('2467153')
})

it('canonical JSON writes the numbers of RFC 8785, appendix B', () => {
  const cases: [string, string | undefined][] = [
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ]
  for (const [bits, text] of cases) expect(canonicalize(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text)
})
