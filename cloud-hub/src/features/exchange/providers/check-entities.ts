import { ERP_ENTITIES, type ErpEntity } from '../../../db/enums.ts'
import { type CheckResult, ErpUnavailable } from './provider.ts'

const NOT_TESTED = { ok: false, message: 'Not tested.' }
const NAMES: Record<ErpEntity, string> = {
  work_order: 'work orders',
  production_data: 'production data',
  downtime: 'downtime',
  machine: 'machines',
}

/**
 * Reads each entity once, the first alone, and says in sentences what was found.
 * @param probe reads from the path of an entity @throws ErpUnavailable
 */
export async function checkEntities(host: string, probe: (entity: ErpEntity) => Promise<void>): Promise<CheckResult> {
  const attempt = (entity: ErpEntity): Promise<ErpUnavailable | null> =>
    probe(entity).then(
      () => null,
      (error) => (error instanceof ErpUnavailable ? error : new ErpUnavailable('maintenance', 'The test failed.')),
    )
  const [first, ...others] = ERP_ENTITIES
  const found = await attempt(first)
  const stops = found?.reason === 'unreachable' || found?.reason === 'authentication' || found?.reason === 'throttled'
  if (found && stops) {
    const entities = Object.fromEntries(ERP_ENTITIES.map((entity) => [entity, NOT_TESTED]))
    return {
      reachable: found.reason !== 'unreachable',
      authenticated: found.reason === 'throttled',
      entities: entities as CheckResult['entities'],
      message: `${found.message}${found.reason === 'throttled' ? ' Try again later.' : ''}`,
    }
  }
  const results = [found, ...(await Promise.all(others.map(attempt)))]
  const entities = Object.fromEntries(
    ERP_ENTITIES.map((entity, index) => [entity, { ok: !results[index], message: results[index]?.message ?? 'Readable.' }]),
  ) as CheckResult['entities']
  // A maintenance page comes before the sign-in, so it says nothing about the credentials.
  if (results.every((result) => result?.response.startsWith('503')))
    return { reachable: true, authenticated: false, entities, message: `${host} was reached. ${found?.message} Try again later.` }
  return { reachable: true, authenticated: true, entities, message: messageOf(host, entities) }
}

function messageOf(host: string, entities: CheckResult['entities']): string {
  const [good, bad] = [true, false].map((ok) => ERP_ENTITIES.filter((entity) => entities[entity].ok === ok)) as [
    ErpEntity[],
    ErpEntity[],
  ]
  return [
    `${host} was reached, and it accepts the credentials.`,
    good.length > 0 ? `Haltless can read ${good.map((entity) => NAMES[entity]).join(', ')}.` : '',
    ...bad.map((entity) => `It cannot read ${NAMES[entity]}: ${entities[entity].message}`),
    good.some((entity) => entity !== 'machine')
      ? 'The test writes nothing: whether Haltless may create and change records shows at the first sync.'
      : '',
  ]
    .filter(Boolean)
    .join(' ')
}
