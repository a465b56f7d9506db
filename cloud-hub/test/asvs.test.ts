import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const text = readFileSync(path.join(root, 'cloud-hub/docs/asvs.md'), 'utf8')
/** How many requirements of level 1 and 2 each chapter of ASVS 5.0.0 has. */
const REQUIREMENTS = [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7]

interface Row {
  id: string
  state: string
  why: string
}
const rows = Array.from(
  text.matchAll(/^- (\d+\.\d+\.\d+) \(L[12]\) [^`"]+?: (met|in part|not met|does not apply): (.+)$/gm),
  ([, id, state, why]) => ({ id, state, why }) as Row,
)

/** The test file of a name, as the head of the page explains the names. */
const testFile = (name: string) =>
  [`cloud-hub/test/${name}.test.ts`, `cloud-hub/${name}.test.ts`, `${name}.test.ts`]
    .map((file) => path.join(root, file))
    .find((file) => existsSync(file))

describe('docs/asvs.md', () => {
  it('has every requirement of level 1 and 2 once, in its chapter', () => {
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
    const counted = REQUIREMENTS.map((_, i) => rows.filter(({ id }) => id.startsWith(`${i + 1}.`)).length)
    expect(counted).toEqual(REQUIREMENTS)
    for (const { id, state, why } of rows) {
      expect(why.length, `${id} ${state}`).toBeGreaterThan(5)
    }
  })

  it('counts its states rightly, and has no line over 160 characters', () => {
    const count = (state: string) => rows.filter((row) => row.state === state).length
    expect(text).toContain(`Of them ${count('met')} are met, ${count('in part')} in part, ${count('not met')} not`)
    expect(text).toContain(`and ${count('does not apply')} do not apply`)
    expect(text.split('\n').filter((line) => line.length > 160)).toEqual([])
  })

  it('names for each met requirement tests with these words, or files, that exist', () => {
    const faults: string[] = []
    for (const { id, state, why } of rows) {
      const named = Array.from(why.matchAll(/`([^`]+)`(?: "([^"]+)")?/g), ([, name = '', title]) => ({ name, title }))
      if (state === 'met' && named.length === 0) faults.push(`${id} names nothing`)
      if (state !== 'met') continue
      for (const { name, title } of named) {
        const file = testFile(name) ?? (title === undefined ? path.join(root, name) : '')
        if (!existsSync(file)) faults.push(`${id}: there is no ${name}`)
        else if (title !== undefined && !readFileSync(file, 'utf8').includes(title))
          faults.push(`${id}: ${name} has no "${title}"`)
      }
    }
    expect(faults).toEqual([])
  })
})
