import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const INDEX = 'cloud-hub/docs/decisions/README.md'
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

/** Every decision: its number by the name of the file, and its heading `# 5. Title (dates)` without the dates. */
const decisions = globSync('*/docs/decisions/[0-9]*.md', { cwd: root }).map((file) => {
  const text = read(file)
  return {
    file,
    number: Number(path.basename(file).slice(0, 4)),
    heading: text.split('\n', 1)[0]?.replace(/^# | \(\d{4}-.*\)$/g, ''),
    relations: Array.from(text.matchAll(/^(Superseded|Amended) by \[decision (\d+)\]/gm), ([, relation = '', by]) => ({
      by: Number(by),
      text: `${relation.toLowerCase()} by ${by}`,
    })),
  }
})

/** The lines of the index, `- [5. Title](file): remark`; a decision without a file is `- 13. Title: remark`. */
const entries = Array.from(
  read(INDEX).matchAll(/^- (?:\[((\d+)\. .+)\]\((.+?)\)|((\d+)\. .+?))(?:: (.+))?$/gm),
  ([, title, number, link, titleAlone, numberAlone, remark = '']) => ({
    title: title ?? titleAlone,
    number: Number(number ?? numberAlone),
    file: link && path.join(path.dirname(INDEX), link),
    remark,
  }),
)

describe('the index of decisions', () => {
  it('has every decision under its title', () => {
    const byFile = (a: unknown[], b: unknown[]) => String(a[0]).localeCompare(String(b[0]))
    const indexed = entries.flatMap(({ file, title }) => (file ? [[file, title]] : []))
    expect(decisions.length).toBeGreaterThan(40)
    expect(indexed.toSorted(byFile)).toEqual(decisions.map(({ file, heading }) => [file, heading]).toSorted(byFile))
  })

  it('names every number once', () => {
    const numbers = entries.map(({ number }) => number)
    expect(numbers.filter((number, i) => numbers.indexOf(number) !== i)).toEqual([])
  })

  it('says which decision superseded or amended another, as that decision does', () => {
    const remarkOf = new Map(entries.map(({ number, remark }) => [number, remark]))
    for (const { number, relations } of decisions)
      for (const { by, text } of relations) {
        expect([number, remarkOf.get(number)]).toEqual([number, expect.stringContaining(text)])
        expect(remarkOf.has(by)).toBe(true)
      }
  })

  it('says by which decision one without a file was superseded', () => {
    for (const { file, title, remark } of entries)
      if (!file) expect([title, remark]).toEqual([title, expect.stringMatching(/^superseded by \d+/)])
  })
})

it('a decision has the number of its file in its heading', () => {
  for (const { file, number, heading } of decisions)
    expect([file, heading]).toEqual([file, expect.stringMatching(`^${number}\\. `)])
})
