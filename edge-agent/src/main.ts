import { program } from './program.ts'
import { shortError } from './support/short-error.ts'

// The reader of our output, such as `head`, may close it early.
process.stdout.on('error', () => process.exit())
program.parseAsync().then(
  // Libraries of the field bus leave timers behind; a command for people ends when its words are out.
  () => process.stdout.write('', () => process.exit()),
  (error: unknown) => {
    process.stderr.write(`${shortError(error)}\n`)
    process.exit(1)
  },
)
