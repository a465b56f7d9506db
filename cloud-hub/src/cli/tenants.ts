import type { Command } from 'commander'
import { SUBSCRIPTION_STATUSES, SUBSCRIPTION_TIERS } from '../db/subscriptions.ts'
import { type OwnLimits, standardsOf, usesOf } from '../features/people/limits/index.ts'
import { canonicalDomain } from '../support/canonical-email.ts'
import { systemClock } from '../support/clock.ts'
import { AppError } from '../support/errors.ts'
import { type OpenHub, withHub } from './open-hub.ts'
import { addLimitsCommand, fullestOf, limitRows, limitsOfTenant } from './tenant-limits.ts'
import { formatDetails, table, UsageError } from './terminal.ts'

interface TenantRow {
  id: string
  name: string
  status: string
  tier: string
  users: number
  machines: number
  created_at: string
  own: OwnLimits
  used: Record<string, number>
}

const tenantRows = ({ pools }: OpenHub, id: string | null = null) => pools.system<TenantRow[]>`
  select t.id, t.name, t.subscription_status as status, t.subscription_tier as tier,
    (select count(*)::int from users u where u.tenant_id = t.id and u.is_active) as users,
    (select count(*)::int from machines m where m.tenant_id = t.id and m.is_active) as machines,
    to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as created_at, t.limits as own,
    coalesce((select jsonb_object_agg(u.kind, u.used) from tenant_usage u where u.tenant_id = t.id), '{}') as used
  from tenants t where ${id}::text is null or t.id::text = lower(${id}) order by t.created_at, t.id`

const unknown = (id: string) => new UsageError(`There is no tenant ${id}. \`npm run hub -- tenants list\` lists all tenants.`)

const KEPT = { rawDays: 'readings', minuteDays: 'minutes', hourDays: 'hours' }

/** Parses a retention option in days: null is the hub's default, 0 for ever. */
function daysOf(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined
  if (text === 'default') return null
  if (text === 'forever') return 0
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > 36_500)
    throw new UsageError(`${text} is not valid: use a number of days from 1 to 36500, \`forever\` or \`default\`.`)
  return Number(text)
}

/** @throws UsageError when readings would be kept longer than their statistics */
async function assertKept(
  { pools, config: { retention } }: OpenHub,
  tenantId: string,
  change: Record<'raw' | 'minutes' | 'hours', number | null | undefined>,
): Promise<void> {
  const [own] = await pools.system<Record<keyof typeof change, number | null>[]>`
    select raw_retention_days as raw, minute_retention_days as minutes, hour_retention_days as hours from tenants where id::text = lower(${tenantId})`
  const after = (key: keyof typeof change, hubs: number) => (change[key] === undefined ? own?.[key] : change[key]) ?? hubs
  const { retentionFault } = await import('../config.ts')
  const wrong = retentionFault({
    rawDays: after('raw', retention.rawDays),
    minuteDays: after('minutes', retention.minuteDays),
    hourDays: after('hours', retention.hourDays),
  })
  if (wrong) throw new UsageError(`Keep ${KEPT[wrong[1]]} at least as long as ${KEPT[wrong[0]]}: charts use them.`)
}

export function addTenantCommands(program: Command): void {
  const tenants = program.command('tenants').description('manage the tenants of this hub')
  tenants
    .command('list')
    .description('list all tenants, oldest first')
    .option('--json', 'as JSON')
    .action(({ json }: { json?: boolean }) =>
      withHub(async (hub) => {
        const rows = (await tenantRows(hub)).map(({ own, used, ...row }) => ({
          ...row,
          fullest_limit: fullestOf(usesOf({ own, used }, standardsOf(hub.config.attachments.tenantBytes))),
        }))
        console.log(json ? JSON.stringify(rows, null, 2) : table(rows as never, 'There are no tenants yet.'))
      }),
    )

  tenants
    .command('create')
    .argument('<name>', 'of the company or plant')
    .argument('<email>', 'of its first admin, who gets an invitation')
    .option('--full-name <name>', 'of the admin; by default the part of the address before the @')
    .option('--json', 'as JSON')
    .description('create a tenant and invite its first admin, also while REGISTRATION is closed')
    .action(async (tenantName: string, address: string, given: { fullName?: string; json?: boolean }) => {
      if (!tenantName.trim() || [...tenantName].length > 255) throw new UsageError('The name must have 1 to 255 characters.')
      const { Email } = await import('../support/http/email-address.ts')
      const { data: email } = Email.safeParse(address)
      if (email === undefined) throw new UsageError(`${address} is not an e-mail address.`)
      const fullName = given.fullName ?? (email.split('@')[0] as string)
      const { createTenant } = await import('../features/people/users/index.ts')
      const { publicUrl } = await import('../config.ts')
      await withHub(async (hub) => {
        const deps = { box: hub.box, clock: systemClock, publicUrl: publicUrl(hub.config) }
        const made = await hub
          .change((sql) => createTenant(deps, sql, { tenantName, email, fullName }))
          .catch((error) => {
            throw error instanceof AppError ? new UsageError(error.message) : error
          })
        const { tenantId, url, expiresAt } = made
        if (!hub.config.publicUrl)
          console.error(`PUBLIC_URL is not set, so the link leads to ${deps.publicUrl}. Set it to the address that people use.`)
        if (given.json)
          return console.log(
            JSON.stringify({ id: tenantId, name: tenantName, email, url, expires_at: expiresAt.toISOString() }, null, 2),
          )
        console.log(`${tenantName}: tenant ${tenantId}`)
        console.log(
          `${email} gets a mail with this link, which sets the password. It works once, until ${expiresAt.toISOString()}:\n  ${url}`,
        )
      })
    })

  tenants
    .command('show')
    .argument('<tenant-id>')
    .description('show one tenant: subscription, users, machines, stored data and limits')
    .option('--json', 'as JSON')
    .action((id: string, { json }: { json?: boolean }) =>
      withHub(async (hub) => {
        const [row] = await tenantRows(hub, id)
        if (!row) throw unknown(id)
        const { newestOfTenant } = await import('../readings/index.ts')
        const [more] = await hub.pools.system<Record<string, string | number | null>[]>`
          select (select count(*)::int from api_keys where tenant_id = ${row.id} and is_active) as api_keys,
            (select count(*)::int from agents where tenant_id = ${row.id}) as agents,
            (select count(*)::int from series where tenant_id = ${row.id}) as series,
            (select count(*)::int from alerts where tenant_id = ${row.id}) as alerts,
            (select domain from sso_configs where tenant_id = ${row.id}) as sso_domain,
            (select to_char((${newestOfTenant(hub.pools.system, row.id)}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) as last_reading_at`
        const { own: _own, used: _used, ...details } = row
        const uses = await limitsOfTenant(hub, row.id)
        if (json) {
          const limits = Object.fromEntries(uses.map(({ kind, used, limit }) => [kind, { used, limit }]))
          return console.log(JSON.stringify({ ...details, ...more, limits }, null, 2))
        }
        console.log(formatDetails({ ...details, ...more }))
        console.log(`\n${table(limitRows(uses) as never, '')}`)
      }),
    )

  tenants
    .command('set-subscription')
    .argument('<tenant-id>')
    .argument('<status>', SUBSCRIPTION_STATUSES.join(', '))
    .argument('[tier]', SUBSCRIPTION_TIERS.join(', '))
    .option('--json', 'as JSON')
    .description('change the subscription of a tenant; past_due and canceled make agents pause')
    .action(async (tenantId: string, status: string, tier: string | undefined, { json }: { json?: boolean }) => {
      if (!(SUBSCRIPTION_STATUSES as readonly string[]).includes(status))
        throw new UsageError(`The status ${status} is not known; use one of ${SUBSCRIPTION_STATUSES.join(', ')}.`)
      if (tier && !(SUBSCRIPTION_TIERS as readonly string[]).includes(tier))
        throw new UsageError(`The tier ${tier} is not known; use one of ${SUBSCRIPTION_TIERS.join(', ')}.`)
      await withHub(async (hub) => {
        const [row] = await hub.change(
          (sql) => sql<{ id: string; name: string; status: string; tier: string }[]>`
            update tenants set subscription_status = ${status}, subscription_tier = coalesce(${tier ?? null}, subscription_tier)
            where id::text = lower(${tenantId}) returning id, name, subscription_status as status, subscription_tier as tier`,
        )
        if (!row) throw unknown(tenantId)
        console.log(json ? JSON.stringify(row, null, 2) : `${row.name}: subscription ${row.status}, tier ${row.tier}`)
      })
    })

  tenants
    .command('set-retention')
    .argument('<tenant-id>')
    .option('--raw <days>', 'readings')
    .option('--minutes <days>', 'statistics by minute')
    .option('--hours <days>', 'statistics by hour')
    .option('--json', 'as JSON')
    .description('set how many days the data of a tenant is kept: a number, `forever`, or `default` for the setting of the hub')
    .action(async (tenantId: string, given: { raw?: string; minutes?: string; hours?: string; json?: boolean }) => {
      const [raw, minutes, hours] = [given.raw, given.minutes, given.hours].map(daysOf)
      if (raw === undefined && minutes === undefined && hours === undefined)
        throw new UsageError(
          'Give at least one of --raw, --minutes and --hours, each with a number of days, `forever` or `default`.',
        )
      await withHub(async (hub) => {
        const values = Object.entries({ raw_retention_days: raw, minute_retention_days: minutes, hour_retention_days: hours })
        await assertKept(hub, tenantId, { raw, minutes, hours })
        const [row] = await hub.change(
          (sql) => sql<{ id: string; name: string; raw: number | null; minutes: number | null; hours: number | null }[]>`
            update tenants set ${sql(Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Record<string, number | null>)}
            where id::text = lower(${tenantId}) returning id, name, raw_retention_days as raw, minute_retention_days as minutes, hour_retention_days as hours`,
        )
        if (!row) throw unknown(tenantId)
        const { rawDays, minuteDays, hourDays } = hub.config.retention
        const shown = (own: number | null, hubs: number) => {
          const days = own ?? hubs
          return `${days === 0 ? 'for ever' : `${days} days`}${own === null ? ' (default)' : ''}`
        }
        console.log(
          given.json
            ? JSON.stringify(row, null, 2)
            : `${row.name}: readings ${shown(row.raw, rawDays)}, minutes ${shown(row.minutes, minuteDays)}, hours ${shown(row.hours, hourDays)}.\n` +
                'Whole UTC days are removed, when all of a day is older. Statistics by minute and by hour stay for longer.',
        )
      })
    })

  addLimitsCommand(tenants)

  tenants
    .command('approve-domain')
    .argument('<domain>')
    .argument('[tenant-id]', 'required when several tenants claim it')
    .option('--json', 'as JSON')
    .description('let a tenant sign in with the domain of its SSO configuration, without a DNS record as proof')
    .action((domain: string, tenantId: string | undefined, { json }: { json?: boolean }) =>
      withHub(async (hub) => {
        const claims = await hub.pools.system<{ id: string; tenant: string; verified: boolean }[]>`
          select t.id, t.name as tenant, c.domain_verified_at is not null as verified
          from sso_configs c join tenants t on t.id = c.tenant_id where lower(c.domain) = ${canonicalDomain(domain)} order by t.created_at`
        const holder = claims.find(({ verified }) => verified)
        if (holder && holder.id !== tenantId?.toLowerCase() && tenantId)
          throw new UsageError(
            `${holder.tenant} (${holder.id}) uses ${domain} already; \`tenants release-domain ${domain}\` releases it.`,
          )
        const wanted = holder ?? (tenantId ? claims.find(({ id }) => id === tenantId.toLowerCase()) : claims[0])
        if (!wanted)
          throw new UsageError(`No tenant${tenantId ? ` ${tenantId}` : ''} claims the domain ${domain} in its SSO configuration.`)
        if (!tenantId && claims.length > 1 && !holder)
          throw new UsageError(
            `Several tenants claim ${domain}; name one:\n${claims.map((claim) => `  ${claim.id}  ${claim.tenant}`).join('\n')}`,
          )
        // The tenant may have claimed another domain since.
        const approved = await hub.change(
          (sql) => sql`
            update sso_configs set domain_verified_at = coalesce(domain_verified_at, now()), domain_proof = 'operator'
            where tenant_id = ${wanted.id} and lower(domain) = ${canonicalDomain(domain)}`,
        )
        if (approved.count === 0) throw new UsageError(`${wanted.tenant} no longer claims ${domain}; nothing was approved.`)
        const result = { tenant_id: wanted.id, domain }
        console.log(json ? JSON.stringify(result, null, 2) : `${wanted.tenant} signs in with ${domain} from now on.`)
      }),
    )

  tenants
    .command('release-domain')
    .argument('<domain>')
    .option('--json', 'as JSON')
    .description('delete the SSO configuration that uses a domain, so that another tenant can claim it')
    .action((domain: string, { json }: { json?: boolean }) =>
      withHub(async (hub) => {
        const [row] = await hub.change(
          (sql) => sql<{ tenant_id: string; domain: string }[]>`
            delete from sso_configs where lower(domain) = ${canonicalDomain(domain)} and domain_verified_at is not null returning tenant_id, domain`,
        )
        if (!row) throw new UsageError(`No tenant signs in with the domain ${domain}.`)
        console.log(json ? JSON.stringify(row, null, 2) : `${row.domain} is free now; tenant ${row.tenant_id} used it before.`)
      }),
    )
}
