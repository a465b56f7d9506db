import type { Command } from 'commander'
import type { TransactionSql } from '../db/pools.ts'
import {
  LIMIT_KINDS,
  LIMITS,
  type LimitKind,
  type LimitUse,
  limitsOf,
  MAX_LIMIT,
  type OwnLimits,
  shareOf,
  standardsOf,
} from '../features/people/limits/index.ts'
import { type OpenHub, withHub } from './open-hub.ts'
import { table, UsageError } from './terminal.ts'

const optionOf = (kind: LimitKind): string => `--${kind.replaceAll('_', '-')}`

/** Parses a limit: null is no limit, undefined the default. */
function limitFrom(text: string): number | null | undefined {
  if (text === 'default') return undefined
  if (text === 'unlimited') return null
  if (!/^\d{1,16}$/.test(text) || Number(text) > MAX_LIMIT)
    throw new UsageError(`${text} is not valid: use a number from 0 to ${MAX_LIMIT}, \`unlimited\` or \`default\`.`)
  return Number(text)
}

/** The limits of a tenant with their use, as a table has them. */
export const limitRows = (uses: readonly LimitUse[]) =>
  uses.map((use) => ({
    kind: use.kind,
    used: use.used,
    limit: use.limit === null ? 'unlimited' : use.limit,
    share: use.limit === null ? '' : percent(use),
    set: use.isOwn ? 'for this tenant' : 'default',
  }))

const percent = (use: LimitUse): string => {
  const share = shareOf(use)
  return Number.isFinite(share) ? `${Math.floor(100 * share)} %` : 'over'
}

/** The limit of which the largest part is used, such as `machines 92 %`. */
export function fullestOf(uses: readonly LimitUse[]): string {
  const [fullest] = [...uses].sort((a, b) => shareOf(b) - shareOf(a))
  return fullest && shareOf(fullest) > 0 ? `${fullest.kind} ${percent(fullest)}` : ''
}

/** @throws UsageError for an unknown tenant */
export async function limitsOfTenant({ pools, config }: OpenHub, tenantId: string): Promise<LimitUse[]> {
  const [row] = await pools.system<{ id: string }[]>`select id from tenants where id::text = lower(${tenantId})`
  const uses = row && (await limitsOf(pools.system, row.id, standardsOf(config.attachments.tenantBytes)))
  if (!uses) throw new UsageError(`There is no tenant ${tenantId}. \`npm run hub -- tenants list\` lists all tenants.`)
  return uses
}

type Change = Partial<Record<LimitKind, number | null | undefined>>

async function changeLimits(sql: TransactionSql, tenantId: string, change: Change): Promise<void> {
  const [tenant] = await sql<
    { limits: OwnLimits }[]
  >`select limits from tenants where id::text = lower(${tenantId}) for no key update`
  if (!tenant) return
  const limits = Object.fromEntries(Object.entries({ ...tenant.limits, ...change }).filter(([, limit]) => limit !== undefined))
  await sql`update tenants set limits = ${sql.json(limits as never)} where id::text = lower(${tenantId})`
}

export function addLimitsCommand(tenants: Command): void {
  const command = tenants
    .command('limits')
    .argument('<tenant-id>')
    .description('show what a tenant may have, and has; with options, change it: a number, `unlimited`, or `default`')
  for (const kind of LIMIT_KINDS) command.option(`${optionOf(kind)} <limit>`, LIMITS[kind].noun)
  command.option('--json', 'as JSON').action(async (tenantId: string, given: Record<string, string | true | undefined>) => {
    const change: Change = {}
    for (const kind of LIMIT_KINDS) {
      const text = given[kind.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())]
      if (typeof text === 'string') change[kind] = limitFrom(text)
    }
    await withHub(async (hub) => {
      if (Object.keys(change).length > 0) await hub.change((sql) => changeLimits(sql, tenantId, change))
      const uses = await limitsOfTenant(hub, tenantId)
      if (given.json)
        return console.log(
          JSON.stringify(
            uses.map(({ isOwn, ...use }) => ({ ...use, is_own: isOwn })),
            null,
            2,
          ),
        )
      console.log(table(limitRows(uses) as never, ''))
      const over = uses.filter((use) => shareOf(use) > 1)
      if (over.length > 0)
        console.log(
          `Of ${over.map(({ kind }) => kind).join(' and ')} the tenant has more than the limit: nothing is deleted, new ones are refused.`,
        )
    })
  })
}
