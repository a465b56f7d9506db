import { type Finding, ok, warn } from './finding.ts'

/**
 * Whether PostgreSQL detects damaged pages. `initdb` turns checksums on since PostgreSQL 18. The hub converts no older cluster,
 * because that rewrites every page.
 */
export function checkChecksums(areOn: boolean, isEmbedded: boolean): Finding {
  if (areOn) return ok('data checksums', 'are on: PostgreSQL detects pages that the disk has changed')
  const advice = isEmbedded
    ? '`npm run hub -- backup`, then `restore` into an empty DATA_DIR, creates a cluster with them'
    : 'stop PostgreSQL and run `pg_checksums --enable` on its data directory'
  return warn('data checksums', `are off, so PostgreSQL does not detect pages that the disk has changed: ${advice}`)
}
