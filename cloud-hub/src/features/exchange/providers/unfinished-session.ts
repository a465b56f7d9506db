import { type ErpSession, ErpUnavailable } from './provider.ts'

const MESSAGE = 'This version of the hub does not speak the interface of this provider yet.'
const NONE = { ok: false, message: 'Not tested.' }

const refuse = async (): Promise<never> => {
  throw new ErpUnavailable('maintenance', MESSAGE)
}

/** The session of a provider whose module is not there yet. */
export const unfinishedSession = (): ErpSession => ({
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
  prepare: () => ({ method: 'POST', url: '', headers: {}, body: null }),
})
