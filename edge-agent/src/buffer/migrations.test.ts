import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from './migrations.ts'

const first = { sql: 'CREATE TABLE a (x)', oldestReader: 1 }
const adds = { sql: 'CREATE TABLE b (x)', oldestReader: 1 }
const breaks = { sql: 'ALTER TABLE a RENAME TO c', oldestReader: 3 }
const ANY = Number.POSITIVE_INFINITY

const open = () => new Database(':memory:')
const userVersion = (db: Database.Database) => db.pragma('user_version', { simple: true })
const tables = (db: Database.Database) =>
  db.prepare("SELECT name FROM sqlite_schema WHERE name <> 'schema_level' ORDER BY name").pluck().all().join(' ')

it('what only adds is still read by the agent before, which goes on with it', () => {
  const db = open()
  migrate(db, ANY, [first, adds])
  expect([userVersion(db), tables(db)]).toEqual([1, 'a b'])
  migrate(db, ANY, [first])
  migrate(db, ANY, [first, adds])
  expect([userVersion(db), tables(db)]).toEqual([1, 'a b'])
})

it('what changes the meaning waits until no older agent has to read it', () => {
  const db = open()
  migrate(db, 1, [first, adds, breaks])
  expect([userVersion(db), tables(db)]).toEqual([1, 'a b'])
  migrate(db, ANY, [first, adds, breaks])
  expect([userVersion(db), tables(db)]).toEqual([3, 'b c'])
  expect(() => migrate(db, ANY, [first, adds])).toThrow('newer agent (version 3, this one knows 2)')
})

it('a new file on trial is one that the older agent reads', () => {
  const db = open()
  migrate(db, 2, [first, adds, breaks])
  expect(() => migrate(db, ANY, [first, adds])).not.toThrow()
})

it('steps after one that adds are counted on', () => {
  const db = open()
  migrate(db, ANY, [first, adds])
  migrate(db, ANY, [first, adds, breaks, { sql: 'CREATE TABLE d (x)', oldestReader: 3 }])
  expect([userVersion(db), tables(db)]).toEqual([3, 'b c d'])
  migrate(db, ANY, [first, adds, breaks, { sql: 'CREATE TABLE d (x)', oldestReader: 3 }])
})
