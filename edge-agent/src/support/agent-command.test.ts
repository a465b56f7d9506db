import { afterEach, expect, it, vi } from 'vitest'
import { agentCommand } from './agent-command.ts'

afterEach(() => vi.unstubAllEnvs())

it('of a checkout names Node, the program and the settings', () => {
  expect(agentCommand("/etc/it's/agent.yaml", 'trust', 'ab12')).toMatch(
    /node'? .*main\.ts'? trust --config '\/etc\/it'\\''s\/agent\.yaml' ab12$/,
  )
})

it('of a checkout is the npm script where that was used', () => {
  vi.stubEnv('npm_lifecycle_event', 'agent')
  expect(agentCommand('/srv/a.yaml', 'check')).toBe('npm run -s agent -- check --config /srv/a.yaml')
})

it('of a package is its command, and names settings only where they are not the usual ones', () => {
  vi.stubEnv('HALTLESS_AGENT_COMMAND', 'sudo haltless-agent')
  vi.stubEnv('HALTLESS_AGENT_CONFIG', '/etc/haltless-agent/agent.yaml')
  expect(agentCommand('/etc/haltless-agent/agent.yaml', 'trust', 'ab12')).toBe('sudo haltless-agent trust ab12')
  expect(agentCommand('/srv/a.yaml', 'check')).toBe('sudo haltless-agent check --config /srv/a.yaml')
})
