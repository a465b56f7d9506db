import { expect, it } from 'vitest'
import type { Migration } from '../db/migrations.ts'
import { checkMigrations } from './doctor-migrations.ts'

const known: Migration[] = [
  { tag: '0000_baseline', when: 2_000 },
  { tag: '0001_next', when: 3_000 },
]
const applied = (migrations: readonly Migration[]) => migrations.map(({ when, tag }) => ({ when, tag, hubVersion: '1.2.3' }))

it('a database with all migrations of this version is in order', () => {
  expect(checkMigrations(applied(known), known)).toMatchObject({ state: 'ok', detail: 'match this version (2 migrations)' })
})

it('a database that lacks migrations is reported with what the next start applies', () => {
  const finding = checkMigrations(applied(known.slice(0, 1)), known)
  expect(finding).toMatchObject({
    state: 'warn',
    detail: expect.stringMatching(/^1 of 2 migrations are applied.*applies 0001_next$/),
  })
})

it.each([
  ['of a newer hub', { tag: '0002_later', when: 4_000 }, /^Hub 1\.2\.3 has migrated this database \(0002_later\)/],
  ['from before the baseline', { tag: '0063_old', when: 1_000 }, /^Hub 1\.2\.3 wrote this database before .* cannot upgrade it/],
])('a database %s fails the check', (_, migration, detail) => {
  expect(checkMigrations(applied([migration]), known)).toMatchObject({ state: 'fail', detail: expect.stringMatching(detail) })
})
