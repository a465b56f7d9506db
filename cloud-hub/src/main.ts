import { UsageError } from './cli/terminal.ts'
import { program } from './program.ts'
import { OperatorError } from './support/errors.ts'

program.parseAsync().catch((error) => {
  const isForPeople = error instanceof UsageError || error instanceof OperatorError
  console.error(isForPeople ? error.message : `The hub stopped because of an error: ${(error as Error).message}`)
  if (!isForPeople && process.env.LOG_LEVEL === 'debug') console.error(error)
  process.exit(1)
})
