import { fault } from '@haltless/protocol'
import type { ErpEntity } from '../../../db/enums.ts'
import type { TenantScope } from '../../../db/scope.ts'
import { TooManyRequests } from '../../../support/errors.ts'
import { DecryptionError } from '../../../support/secrets/secret-box.ts'
import { type ConnectionRow, type ExchangeDeps, openSession } from '../open-session.ts'
import { type CheckResult, NOT_TESTED, providerOf } from '../providers/index.ts'

/** The time for all calls of a test together. */
export const TEST_SECONDS = 25
/** Maximum of concurrent tests of a tenant, in this process. */
const MAX_CONCURRENT_TESTS = 4
const underWay = new Map<string, number>()

/**
 * Signs in to the ERP and reads from each entity's path; it writes nothing there.
 * @throws TooManyRequests while the tenant has too many tests under way
 */
export async function testConnection(deps: ExchangeDeps, scope: TenantScope, row: ConnectionRow) {
  const busy = underWay.get(scope.tenantId) ?? 0
  if (busy >= MAX_CONCURRENT_TESTS)
    throw new TooManyRequests('tests_under_way', `At most ${MAX_CONCURRENT_TESTS} connection tests run at once.`, TEST_SECONDS)
  underWay.set(scope.tenantId, busy + 1)
  try {
    const found = await check(deps, row)
    return { success: isUsable(row, found), provider: row.provider, ...found }
  } finally {
    const left = (underWay.get(scope.tenantId) ?? 1) - 1
    if (left > 0) underWay.set(scope.tenantId, left)
    else underWay.delete(scope.tenantId)
  }
}

async function check(deps: ExchangeDeps, row: ConnectionRow): Promise<CheckResult> {
  try {
    return await openSession(deps, providerOf(row.provider), row).check(AbortSignal.timeout(TEST_SECONDS * 1_000))
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    const unreadable = fault('erp_config_unreadable')
    return {
      reachable: false,
      authenticated: false,
      entities: { work_order: NOT_TESTED, production_data: NOT_TESTED, downtime: NOT_TESTED, machine: NOT_TESTED },
      message: unreadable.detail,
      fault: unreadable,
    }
  }
}

const TOGGLE_OF = {
  work_order: 'autoPushWorkOrders',
  production_data: 'autoPushProductionData',
  downtime: 'autoPushDowntime',
  machine: 'autoPullAssets',
} as const satisfies Record<ErpEntity, keyof ConnectionRow>
const ENTITIES = Object.keys(TOGGLE_OF) as ErpEntity[]

/** A user of the ERP with few rights is enough when it has those that the toggles need. */
function isUsable(row: ConnectionRow, { reachable, authenticated, entities }: CheckResult): boolean {
  const wanted = ENTITIES.filter((entity) => row[TOGGLE_OF[entity]])
  const permitted = wanted.length > 0 ? wanted.every((entity) => entities[entity].ok) : ENTITIES.some((one) => entities[one].ok)
  return reachable && authenticated && permitted
}
