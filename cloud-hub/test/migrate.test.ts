import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { migrateDatabase } from '../src/db/migrate.ts'
import { openPools } from '../src/db/pools.ts'
import { DB_ROLES, RolesMissing } from '../src/db/roles.ts'

/** A database as a provider gives it: its owner may log in and do what it likes there, but make no roles. */
const name = `managed_${randomBytes(6).toString('hex')}`
const url = new URL(inject('pgUrl'))
Object.assign(url, { username: name, password: name, pathname: `/${name}` })
const admin = postgres(inject('pgUrl'), { max: 1, onnotice: () => {} })

beforeAll(async () => {
  await admin.unsafe(`create role ${name} login password '${name}'`)
  await admin.unsafe(`create database ${name} owner ${name}`)
})
afterAll(async () => {
  await admin.unsafe(`drop database if exists ${name} with (force)`)
  await admin.unsafe(`drop role ${name}`)
  await admin.end()
})

describe('a database that refuses to make roles', () => {
  it('is told as the SQL that its administrator has to run, after which several hubs may start at once', async () => {
    const refused = await migrateDatabase(url.href).catch((error) => error)
    expect(refused).toBeInstanceOf(RolesMissing)
    const grant = /grant .*;/.exec(refused.message)?.[0] as string
    expect(grant).toBe(`grant ${DB_ROLES.join(', ')} to "${name}";`)
    await admin.unsafe(grant)
    await Promise.all([1, 2, 3].map(() => migrateDatabase(url.href)))
    const pools = openPools(url.href)
    try {
      expect(await pools.system`select current_user as role`).toEqual([{ role: 'haltless_system' }])
      expect(await pools.system`select count(*)::int as n from tenants`).toEqual([{ n: 0 }])
    } finally {
      await pools.close()
    }
  })
})
