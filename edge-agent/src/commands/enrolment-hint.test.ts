import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { loadConfig } from '../settings/config.ts'
import { withEnrolmentHint } from './enrolment-hint.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'hint-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = path.join(folder, 'agent.yaml')
const errorOf = (settings: string | null): unknown => {
  rmSync(file, { force: true })
  if (settings !== null) writeFileSync(file, settings)
  try {
    loadConfig(file, {})
  } catch (error) {
    return withEnrolmentHint(error, file)
  }
  return null
}
const HINT = /This agent is not enrolled yet/

it.each([
  ['no file', null],
  ['no hub', 'agent_id: line-1\n'],
  ['a hub without its address', 'hub: { api_key: key }\n'],
  ['a hub without a key', 'hub: { url: "https://hub.example.com" }\n'],
])('settings with %s end with the command that enrols the agent', (_what, settings) => {
  expect(String(errorOf(settings))).toMatch(HINT)
})

it.each([
  ['an unknown setting', 'hub: { url: "https://hub.example.com", api_key: key }\nhobby: chess\n'],
  ['an address that is none', 'hub: { url: "no address", api_key: key }\n'],
  [
    'a file of collectors that is missing',
    'hub: { url: "https://hub.example.com", api_key: key }\ncollectors: [{ file: none.yaml }]\n',
  ],
])('settings with %s are no matter of enrolment', (_what, settings) => {
  const error = String(errorOf(settings))
  expect(error).toMatch(/cannot be used/)
  expect(error).not.toMatch(HINT)
})
