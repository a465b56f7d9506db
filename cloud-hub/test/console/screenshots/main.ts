import '../../../src/db/driver-patches.ts'

const USAGE = `Usage: npm run screenshots -- [--only PATH] [--width N] [--language de] [--dark] [--empty]
Writes pictures of all pages of the console to screenshots/, with an index.html that shows them.
`

if (process.argv.includes('--help')) process.stdout.write(USAGE)
else await import('./run.ts')
