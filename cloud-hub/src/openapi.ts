import { type AppDeps, allRoutes, apiDocument } from './app.ts'
import { loadConfig } from './config.ts'

/** `npm run -s openapi`: prints the API document. Building it asks nothing of its dependencies, so there is no database. */
const undefinedDeps = { config: loadConfig({}) } as AppDeps
const document = apiDocument(allRoutes(undefinedDeps))
// a reader such as head may have seen enough
process.stdout.on('error', () => process.exit(0))
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
