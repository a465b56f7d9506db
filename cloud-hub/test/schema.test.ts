import postgres from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeSchema } from './describe-schema.ts'
import { useDatabase } from './harness.ts'

const database = useDatabase()
let owner: postgres.Sql
beforeAll(() => {
  owner = postgres(database.url, { max: 1, onnotice: () => {} })
})
afterAll(() => owner.end())

it('migrations/schema.sql describes a migrated database; `npm run schema` writes it', async () => {
  await expect(await describeSchema(owner)).toMatchFileSnapshot('../migrations/schema.sql')
})
