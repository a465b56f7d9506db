import type { AgentSources, AgentSourcesReport } from '@haltless/protocol'
import type { Sql } from '../../../db/pools.ts'
import type { SecretBox } from '../../../support/secrets/secret-box.ts'
import { openConfig, type SourceRow } from './manage-source.ts'

interface PushedRow extends Pick<SourceRow, 'tenantId' | 'protocol' | 'host' | 'port' | 'config' | 'sealedSecrets'> {
  revision: string
  /** null: the agent has no sources */
  id: string | null
  name: string
  machine: string
  seconds: number
}

/**
 * The sources of an agent, with secrets: send them to this agent only.
 * @returns null for an agent that never had a source and never reported any
 */
export async function loadAgentSources(
  { allTenants, box }: { allTenants: Sql; box: SecretBox },
  tenantId: string,
  agentId: string,
): Promise<AgentSources | null> {
  // one statement, so that the revision and the sources are of one snapshot
  const rows = await allTenants<PushedRow[]>`
    select a.revision, a.tenant_id as "tenantId", s.id, s.name, s.machine_identifier as machine, s.protocol, s.host, s.port,
      s.poll_interval_seconds as seconds, s.config, s.sealed_secrets as "sealedSecrets"
    from agent_sources a left join (
      select s.tenant_id, s.agent_id, s.id, s.name, m.machine_identifier, s.protocol, s.host, s.port, s.poll_interval_seconds, s.config, s.sealed_secrets
      from ingest_sources s join machines m on m.tenant_id = s.tenant_id and m.id = s.machine_id
      where s.is_active and m.is_active) s on s.tenant_id = a.tenant_id and s.agent_id = a.agent_id
    where a.tenant_id = ${tenantId} and a.agent_id = ${agentId} order by s.id`
  const [first] = rows
  if (!first) return null
  const sources = rows.flatMap(({ id, ...row }) => {
    if (id === null) return []
    const { agent_id: _, ...config } = openConfig(box, { ...row, id })
    const { name, machine, protocol, host, port, seconds } = row
    return { source_id: id, name, machine_identifier: machine, protocol, host, port, poll_interval_seconds: seconds, config }
  })
  return { revision: Number(first.revision), sources }
}

/**
 * Saves which revision an agent runs and the state of its sources. An agent may report a higher revision than this database,
 * which was perhaps restored. Then the revision moves past the reported one, and the agent applies the current sources.
 * @returns whether the agent needs its sources
 */
export async function saveAgentReport(
  allTenants: Sql,
  tenantId: string,
  agentId: string,
  report: AgentSourcesReport,
  now: Date,
): Promise<boolean> {
  const { revision, fault = null, revision_fault: revisionFault, states } = report
  const [known] = await allTenants<{ revision: string; running: string | null; fault: string | null; code: string | null }[]>`
    select revision, running_revision as running, fault, revision_fault ->> 'code' as code from agent_sources where tenant_id = ${tenantId} and agent_id = ${agentId}`
  let wanted = Number(known?.revision ?? 0)
  if (
    !known ||
    Number(known.running ?? -1) !== revision ||
    known.fault !== fault ||
    wanted < revision ||
    known.code !== (revisionFault?.code ?? null)
  ) {
    const [row] = await allTenants<{ revision: string }[]>`
      insert into agent_sources as a (tenant_id, agent_id, revision, running_revision, fault, revision_fault)
      values (${tenantId}, ${agentId}, case when ${revision}::bigint > 0 then ${revision}::bigint + 1 else 0 end, ${revision}, ${fault},
        ${revisionFault ? allTenants.json(revisionFault as never) : null})
      on conflict (tenant_id, agent_id) do update set running_revision = excluded.running_revision, fault = excluded.fault,
        revision_fault = excluded.revision_fault,
        revision = case when a.revision < excluded.running_revision then excluded.running_revision + 1 else a.revision end
      returning revision`
    wanted = Number(row?.revision)
  }
  // the agent reports on an old revision
  if (wanted !== revision) return true
  if (states.length === 0) return false
  await allTenants`
    update ingest_sources s set last_polled_at = least(u.polled, ${now}), last_error = u.error, last_fault = u.fault::jsonb
    from unnest(${states.map((s) => s.source_id)}::uuid[], ${states.map((s) => s.polled_at) as string[]}::timestamptz[],
      ${states.map((s) => s.error) as string[]}::text[], ${states.map((s) => (s.fault ? JSON.stringify(s.fault) : null)) as string[]}::text[])
      u(id, polled, error, fault)
    where s.tenant_id = ${tenantId} and s.agent_id = ${agentId} and s.id = u.id
      and (s.last_polled_at, s.last_error, s.last_fault) is distinct from (least(u.polled, ${now}), u.error, u.fault::jsonb)`
  return false
}
