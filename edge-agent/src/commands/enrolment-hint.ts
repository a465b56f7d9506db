import { ConfigError } from '../settings/tree.ts'
import { agentCommand } from '../support/agent-command.ts'

/** Settings without a hub are those of an agent that is not enrolled: then the fault ends with the command that enrols it. @param file absolute */
export function withEnrolmentHint(error: unknown, file: string): unknown {
  if (!(error instanceof ConfigError) || !error.hasNoHub) return error
  const command = agentCommand(file, 'enroll', '--hub', 'https://hub.example.com')
  return new Error(`${error.message}\nThis agent is not enrolled yet. With the address of your hub, run: ${command}`, {
    cause: error,
  })
}
