import { randomUUID } from 'node:crypto'
import type { Sql } from 'postgres'
import { inject, type TestContext } from 'vitest'
import postgres from '../../src/db/driver.ts'

/** An empty database of its own for a test. */
export async function newDatabase({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): Promise<{ url: string; sql: Sql }> {
  const name = `u_${randomUUID().replaceAll('-', '')}`
  const admin = postgres(inject('pgUrl'), { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${name} strategy file_copy`)
  const { href: url } = Object.assign(new URL(inject('pgUrl')), { pathname: `/${name}` })
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  onTestFinished(async () => {
    await sql.end({ timeout: 1 })
    await admin.unsafe(`drop database ${name} with (force)`)
    await admin.end()
  })
  return { url, sql }
}
