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

describe('a sentence that the hub writes is known to the console', () => {
  it.each([
    ['cloud-hub/src/support/net/http-exchange.ts', /^(?:The|No secure|its certificate|the (?:hub|TLS)).* /, 14],
    ['cloud-hub/src/support/mail.ts', /^the mail server (?:is|did not accept the mail|does)/, 3],
    ['cloud-hub/src/features/delivery/notifications/attempt.ts', /^(?:given up|the delivery failed)/, 2],
    ['cloud-hub/src/features/delivery/notifications/http-outcome.ts', /^the receiver answered/, 1],
    ['cloud-hub/src/features/delivery/notifications/channels/push.ts', /^web push is/, 1],
    ['cloud-hub/src/features/delivery/notifications/channels/ticketing-a.ts', /^the workflow/, 1],
    ['cloud-hub/src/features/delivery/notifications/channels/ticketing-b.ts', /^the (?:record|receiver)/, 2],
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
  expect(recognize('there is no active machine with the identifier press-01: create it under /machines')?.sentence).toBe(
    'noMachine',
  )
})
