import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shellQuote } from '../src/support/shell-quote.ts'
import { agentCommand } from './devices/agent-command.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'haltless-usage-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const OF_PACKAGE = { HALTLESS_AGENT_COMMAND: 'sudo haltless-agent', HALTLESS_AGENT_CONFIG: '/etc/haltless-agent/agent.yaml' }
const OF_CHECKOUT = { HALTLESS_AGENT_COMMAND: '', HALTLESS_AGENT_CONFIG: '', npm_lifecycle_event: 'agent' }

it.each([
  ['of a package', OF_PACKAGE, 'haltless-agent'],
  ['of a checkout', OF_CHECKOUT, 'npm run -s agent --'],
])('--help %s prints the command that the person used', async (_, env, name) => {
  expect((await agentCommand(['--help'], env)).out).toContain(`Usage: ${name} [options]`)
  expect((await agentCommand(['status', '--help'], env)).out).toContain(`Usage: ${name} status [options]`)
})

it.each([
  ['without settings', null],
  ['with settings that lack a hub', 'collectors: []\n'],
  ['with a hub and without a credential', 'hub: { url: "https://hub.example.com" }\n'],
])('status before enrolment, %s, says which command enrols the agent', async (_, settings) => {
  const file = join(folder, 'agent.yaml')
  if (settings === null) rmSync(file, { force: true })
  else writeFileSync(file, settings)
  const { code, err } = await agentCommand(['status', '--config', file], OF_PACKAGE)
  expect(code).toBe(1)
  expect(err).toMatch(/This agent is not enrolled yet\. With the address of your hub, run: sudo haltless-agent enroll --config/)
  expect(err).toContain(`--config ${shellQuote(file)} --hub https://hub.example.com`)
})
