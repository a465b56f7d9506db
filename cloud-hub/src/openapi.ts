import { type AppDeps, allRoutes, apiDocument } from './app.ts'
import { loadConfig } from './config.ts'

/** `npm run -s openapi`: prints the API document. Building it calls none of its dependencies, so it needs no database. */
const undefinedDeps = { config: loadConfig({}) } as AppDeps
const document = apiDocument(allRoutes(undefinedDeps))
// a reader such as `head` may close the pipe early
process.stdout.on('error', () => process.exit(0))
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
