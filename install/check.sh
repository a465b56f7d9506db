#!/bin/sh
# npm run check: format and lint, imports, where SQL stands, types, unused code, unit tests. Runs under install/nodew.
#   --static    leaves out the unit tests, which npm test runs too
set -e
if [ "$1" = --help ]; then echo 'Usage: npm run check -- [--static]     --static leaves out the unit tests'; exit; fi
biome check --error-on-warnings .
node install/check-imports.ts
node install/check-sql.ts
tsc -b
knip
# code under src that only tests use; types of an index.ts may be for tests
knip --production --exclude types
[ "$1" = --static ] || exec vitest run --config .vitest.config.ts --project unit --project mocking
