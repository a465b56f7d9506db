import type { HubConfig } from '../config.ts'
import type { Sql } from '../db/pools.ts'
import { type FullTenant, fullLimits, shareOf, standardsOf } from '../features/people/limits/index.ts'
import { type Finding, ok, warn } from './finding.ts'

/** Limits that one finding names. */
const MAX_NAMED = 5

/** The limits of tenants of which 90 % or more are used. */
export async function checkLimits(config: HubConfig, allTenants: Sql): Promise<Finding[]> {
  const full = await fullLimits(allTenants, standardsOf(config.attachments.tenantBytes))
  if (full.length === 0) return [ok('limits', 'no tenant uses 90 % of one')]
  const named = full.slice(0, MAX_NAMED).map(describe)
  const more = full.length > MAX_NAMED ? [`${full.length - MAX_NAMED} more`] : []
  return [warn('limits', `${[...named, ...more].join(', ')}: \`tenants limits TENANT\` shows and changes them`)]
}

const describe = (full: FullTenant): string =>
  `${full.name} (${full.tenantId}) uses ${full.used} of ${full.limit} ${full.kind}${shareOf(full) >= 1 ? ' and gets no more' : ''}`
