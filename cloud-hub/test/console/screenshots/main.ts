const USAGE = `Usage: npm run screenshots -- [--only PATH] [--width N] [--language de] [--dark] [--empty] [--short] [--out FOLDER]
Writes pictures of all pages of the console, with an index.html that shows them, to screenshots/ or the folder that --out names.
--short takes a few pages in one size. It ends with an error when a page reports one.
`

if (process.argv.includes('--help')) process.stdout.write(USAGE)
else await import('./run.ts')
