import type { AppDeps } from './app.ts'

/** `npm run -s openapi`: prints the API document. Building it calls none of its dependencies, so it needs no database. */
const USAGE = `Usage: npm run -s openapi
Prints the OpenAPI document of the API as JSON. It needs no database.
`

async function documentText(): Promise<string> {
  const { allRoutes, apiDocument } = await import('./app.ts')
  const { loadConfig } = await import('./config.ts')
  const undefinedDeps = { config: loadConfig({}) } as AppDeps
  return `${JSON.stringify(apiDocument(allRoutes(undefinedDeps)), null, 2)}\n`
}

// a reader such as `head` may close the pipe early
process.stdout.on('error', () => process.exit(0))
process.stdout.write(process.argv.includes('--help') ? USAGE : await documentText())
