import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { en } from './en/app.ts'
import { recognize } from './hub-text.ts'

const ROOT = new URL('../../../../', import.meta.url)
const sourceOf = (file: string) => readFileSync(new URL(file, ROOT), 'utf8')

/** What stands for an expression within a sentence. */
function example(expression: string): string {
  if (/status|code/i.test(expression)) return '500'
  if (/message|sentence|reason/i.test(expression)) return 'The host does not respond.'
  if (/^(?:host|url|serviceUrl)\b/.test(expression)) return 'https://erp.example.com'
  return /max|Ms|\b(?:bad|all|length|unitId)\b/i.test(expression) ? '20' : 'x'
}

/** The sentences in a source: its texts that match, with an example for each expression. */
function sentencesIn(file: string, pattern: RegExp): string[] {
  const texts = [...sourceOf(file).matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)]
  return texts
    .map(([, single, double, template]) => single ?? double ?? (template ?? '').replace(/\$\{([^}]*)\}/g, (_, it) => example(it)))
    .filter((text) => pattern.test(text))
}

const EXCHANGE = 'cloud-hub/src/features/exchange/'
const ERP_SENTENCE =
  /^(?:The (?:ERP|record|asset|machine|user|stored|run|connection is|shift|last)|Another|Not tested|Readable|https:\/\/erp).* .*[.x]$/

describe('a sentence that the hub writes is known to the console', () => {
  it.each([
    [`${EXCHANGE}providers/results.ts`, ERP_SENTENCE, 15],
    [`${EXCHANGE}providers/push-each.ts`, ERP_SENTENCE, 1],
    [`${EXCHANGE}providers/entity-address.ts`, ERP_SENTENCE, 2],
    [`${EXCHANGE}providers/erp-a/session.ts`, ERP_SENTENCE, 3],
    [`${EXCHANGE}providers/erp-b/session.ts`, ERP_SENTENCE, 4],
    [`${EXCHANGE}providers/erp-c/session.ts`, ERP_SENTENCE, 1],
    [`${EXCHANGE}providers/erp-c/pages.ts`, ERP_SENTENCE, 1],
    [`${EXCHANGE}sync/push-portion.ts`, ERP_SENTENCE, 3],
    [`${EXCHANGE}sync/execute-run.ts`, ERP_SENTENCE, 2],
    [`${EXCHANGE}sync/pull-bounds.ts`, /^The (?:ERP|pages)/, 3],
    [`${EXCHANGE}sync/active-run.ts`, /^The run ends/, 1],
    [`${EXCHANGE}sync/failures-in-a-row.ts`, ERP_SENTENCE, 1],
    [`${EXCHANGE}sync/match-assets.ts`, ERP_SENTENCE, 3],
    [`${EXCHANGE}connections/preview.ts`, ERP_SENTENCE, 3],
  ])('%s', (file, pattern, count) => {
    const found = sentencesIn(file, pattern)
    expect(found.filter((sentence) => recognize(sentence) === null)).toEqual([])
    expect(found.length).toBeGreaterThanOrEqual(count)
  })
})

it('every code of a rejected reading has a text, or a reason that the console knows', () => {
  const files = ['accept.ts', 'json-submission.ts', 'rejections.ts', 'submission.ts']
  const codes = files.flatMap((file) =>
    [...sourceOf(`cloud-hub/src/features/telemetry/ingest/${file}`).matchAll(/code: '(\w+)'/g)].map(([, code]) => code),
  )
  const known = [...Object.keys(en.agents.rejections), 'unknown_machine']
  expect(codes.filter((code) => !known.includes(code as string))).toEqual([])
  expect(codes.length).toBeGreaterThanOrEqual(11)
})
