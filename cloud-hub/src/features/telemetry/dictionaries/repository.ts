import type { Sql } from '../../../db/pools.ts'
import { purge } from '../../../db/purge.ts'

/** Whose dictionaries: names count only within the authenticated agent. */
export interface DictionaryOwner {
  tenantId: string
  agentId: string
}

/** Dictionaries of an agent, and the bytes that they may take together, as they are stored. */
export const MAX_DICTIONARIES = 8
export const MAX_BYTES = 1_048_576

/** What no batch has used for so long, nobody needs: an agent that does announces it again. */
const UNUSED_MS = 30 * 86_400_000

/**
 * Stores a dictionary, or notes that it is in use again, and deletes those of the agent that were unused for longest, beyond the limits.
 * @param content compressed
 * @returns false when there is no such agent: it has sent no heartbeat yet
 */
export async function saveDictionary(
  allTenants: Sql,
  { tenantId, agentId }: DictionaryOwner,
  { name, content }: { name: Buffer; content: Buffer },
  now: Date,
): Promise<boolean> {
  return allTenants.begin(async (sql) => {
    // One announcement of an agent at a time, so that the limits hold.
    const [agent] = await sql`select from agents where tenant_id = ${tenantId} and agent_id = ${agentId} for no key update`
    if (!agent) return false
    await sql`
      insert into agent_dictionaries (tenant_id, agent_id, name, content, used_at)
      values (${tenantId}, ${agentId}, ${name}, ${content}, ${now})
      on conflict (tenant_id, agent_id, name) do update set used_at = excluded.used_at`
    await sql`
      delete from agent_dictionaries d
      using (
        select name, row_number() over newest as n, sum(length(content)) over newest as bytes
        from agent_dictionaries
        where tenant_id = ${tenantId} and agent_id = ${agentId}
        window newest as (order by name = ${name} desc, used_at desc, name)
      ) r
      where d.tenant_id = ${tenantId} and d.agent_id = ${agentId} and d.name = r.name
        and (r.n > ${MAX_DICTIONARIES} or r.bytes > ${MAX_BYTES})`
    return true
  }) as Promise<boolean>
}

/** How exactly `used_at` is known: a use within this time after the last one is not written. */
const USE_NOTED_MS = 86_400_000

/** The contents, compressed, of an agent's dictionaries whose names begin with `reference`; notes that they are in use. */
export async function findDictionaries(
  allTenants: Sql,
  { tenantId, agentId }: DictionaryOwner,
  reference: Buffer,
  now: Date,
): Promise<Buffer[]> {
  const rows = await allTenants<{ name: Buffer; content: Buffer; usedAt: Date }[]>`
    select name, content, used_at as "usedAt" from agent_dictionaries
    where tenant_id = ${tenantId} and agent_id = ${agentId} and substring(name for ${reference.length}) = ${reference}`
  const noted = now.getTime() - USE_NOTED_MS
  for (const { name } of rows.filter(({ usedAt }) => usedAt.getTime() <= noted))
    await allTenants`
      update agent_dictionaries set used_at = greatest(used_at, ${now})
      where tenant_id = ${tenantId} and agent_id = ${agentId} and name = ${name}`
  return rows.map(({ content }) => content)
}

/** Dictionaries that one statement deletes: each may have a megabyte. */
const FEW = 100

/** Deletes the dictionaries that were unused for 30 days. */
export const purgeDictionaries = (allTenants: Sql, now: Date): Promise<void> =>
  purge(allTenants, { table: 'agent_dictionaries', column: 'used_at', before: new Date(now.getTime() - UNUSED_MS), portion: FEW })
