import type { Sql } from '../../../db/pools.ts'
import { capabilitiesOf, channels } from './registry.ts'

/**
 * Writes the capabilities that the adapters state into the channels that have others: those of an adapter that changed, and those that a hub
 * of an earlier version created. Statements and triggers read these columns.
 * @returns how many channels differed
 */
export async function storeCapabilities(allTenants: Sql): Promise<number> {
  const types = Object.keys(channels).map((type) => ({ type, ...capabilitiesOf(type) }))
  const { count } = await allTenants`
    update notification_channels c set audience = t.audience, follows_alert = t."followsAlert", subject_kind = t."subjectKind"
    from json_to_recordset(${JSON.stringify(types)}::text::json) t(type text, audience text, "followsAlert" boolean, "subjectKind" text)
    where c.channel_type = t.type
      and (c.audience, c.follows_alert, c.subject_kind) is distinct from (t.audience, t."followsAlert", t."subjectKind")`
  return count
}
