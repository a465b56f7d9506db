import type { ErpEntity } from '../../../db/tables/erp.ts'
import { type EntityDefaults, type ErpSession, ErpUnavailable, type SessionSettings } from './provider.ts'
import { recordBody, writeIso } from './record-body.ts'

const MESSAGE = 'This version of the hub does not speak the interface of this provider yet.'
const NONE = { ok: false, message: 'Not tested.' }

const refuse = async (): Promise<never> => {
  throw new ErpUnavailable('maintenance', MESSAGE)
}

/** The session of a provider whose module is not there yet: it shows what would be sent, and makes no call. */
export const unfinishedSession =
  (defaults: Readonly<Record<ErpEntity, EntityDefaults>>) =>
  ({ config, fieldMapping }: SessionSettings): ErpSession => ({
    batchSize: 1,
    check: async () => ({
      reachable: false,
      authenticated: false,
      entities: { work_order: NONE, production_data: NONE, downtime: NONE, machine: NONE },
      message: MESSAGE,
    }),
    find: refuse,
    create: refuse,
    update: refuse,
    assets: refuse,
    prepare: (record, externalId) => {
      const path = (config.paths as Record<string, string> | undefined)?.[record.entity] ?? defaults[record.entity].path
      const url = `${String(config.base_url).replace(/\/+$/, '')}/${path.replace(/^\//, '')}`
      return {
        method: externalId === null ? 'POST' : 'PATCH',
        url: externalId === null ? url : `${url}/${encodeURIComponent(externalId)}`,
        headers: { 'content-type': 'application/json' },
        body: recordBody(record, defaults[record.entity], fieldMapping, writeIso),
      }
    },
  })
