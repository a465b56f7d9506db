import { FAULT_TEXTS, type Fault, fault } from '@haltless/protocol'
import { faultText } from '@haltless/protocol/fault-text'
import { ERP_ENTITIES, type ErpEntity } from '../../../db/enums.ts'
import { type CheckResult, type EntityCheck, ErpUnavailable } from './provider.ts'

export const NOT_TESTED = failedCheck(fault('erp_not_tested'))
const NAMES: Record<ErpEntity, string> = {
  work_order: 'work orders',
  production_data: 'production data',
  downtime: 'downtime',
  machine: 'machines',
}

function failedCheck(found: Fault): EntityCheck {
  return { ok: false, message: found.detail, fault: found }
}

/**
 * Reads each entity once, the first alone, and says what was found, in sentences and by code.
 * @param probe reads from the path of an entity @throws ErpUnavailable
 */
export async function checkEntities(host: string, probe: (entity: ErpEntity) => Promise<void>): Promise<CheckResult> {
  const attempt = (entity: ErpEntity): Promise<ErpUnavailable | null> =>
    probe(entity).then(
      () => null,
      (error) => (error instanceof ErpUnavailable ? error : new ErpUnavailable('maintenance', fault('erp_test_failed'))),
    )
  const [first, ...others] = ERP_ENTITIES
  const found = await attempt(first)
  const stops = found?.reason === 'unreachable' || found?.reason === 'authentication' || found?.reason === 'throttled'
  if (found && stops) {
    const isThrottled = found.reason === 'throttled'
    const reason = isThrottled ? fault('erp_try_later', { reason: found.fault }) : found.fault
    return {
      reachable: found.reason !== 'unreachable',
      authenticated: isThrottled,
      entities: checksOf(() => NOT_TESTED),
      message: reason.detail,
      fault: reason,
    }
  }
  const results = [found, ...(await Promise.all(others.map(attempt)))]
  const entities = checksOf((_, index) => {
    const error = results[index]
    return error ? failedCheck(error.fault) : { ok: true, message: 'Readable.', fault: null }
  })
  // A maintenance page comes before the sign-in, so it says nothing about the credentials.
  if (found && results.every((result) => result?.response.startsWith('503'))) {
    const reason = fault('erp_reached_not_available', { host, reason: found.fault })
    return { reachable: true, authenticated: false, entities, message: reason.detail, fault: reason }
  }
  return { reachable: true, authenticated: true, entities, ...findingsOf(host, entities) }
}

const checksOf = (checkOf: (entity: ErpEntity, index: number) => EntityCheck) =>
  Object.fromEntries(ERP_ENTITIES.map((entity, index) => [entity, checkOf(entity, index)])) as CheckResult['entities']

function findingsOf(host: string, entities: CheckResult['entities']): Pick<CheckResult, 'message' | 'fault'> {
  const [good, bad] = [true, false].map((ok) => ERP_ENTITIES.filter((entity) => entities[entity].ok === ok)) as [
    ErpEntity[],
    ErpEntity[],
  ]
  const sentencesWith = (told: (entity: ErpEntity) => string) =>
    [
      good.length > 0 ? `Haltless can read ${good.map((entity) => NAMES[entity]).join(', ')}.` : '',
      ...bad.map((entity) => `It cannot read ${NAMES[entity]}${told(entity)}`),
    ]
      .filter(Boolean)
      .join(' ')
  const maySend = good.some((entity) => entity !== 'machine')
  const code = maySend ? 'erp_reached_to_read' : 'erp_reached'
  // The message is whole. The fault, whose length is limited, leaves the reasons to the entities.
  const message = { code, params: { host, found: sentencesWith((entity) => `: ${entities[entity].message}`) }, detail: '' }
  return { message: faultText(message, FAULT_TEXTS), fault: fault(code, { host, found: sentencesWith(() => '.') }) }
}
