import { afterEach, expect, it } from 'vitest'
import { plant, useHub } from './harness.ts'
import { type ErpServer, startErpServer } from './support/erp/server.ts'

const hub = useHub({ OUTBOUND_ALLOW: '127.0.0.0/8' })
const servers: ErpServer[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

/** The last changing request that the ERP received: of a batch, its only part. */
function lastChange({ calls }: ErpServer): { method: string; body: unknown } {
  const call = calls.findLast(({ method, path }) => method !== 'GET' && !path.includes('/token'))
  const { method = '', body = '' } = call ?? {}
  const part = /\r\n(POST|PATCH) \S+ HTTP\/1\.1\r\n/.exec(body)
  if (!part) return { method, body: JSON.parse(body) }
  return { method: part[1] as string, body: JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1)) }
}

it.each(['erp_a', 'erp_b', 'erp_c'] as const)('a preview for %s is what the ERP then receives', async (provider) => {
  const erp = await startErpServer(provider)
  servers.push(erp)
  const { admin, machine } = await plant(hub)
  const field_mapping = { description: '' }
  const given = { provider, name: 'ERP', config: erp.config, field_mapping }
  const { id } = (await admin.call('POST', 'erp/connections', given)).body
  const due = { title: 'Replace the bearing', due_date: '2026-05-01T06:00:00Z', priority: 'high' }
  const order = (await admin.call('POST', 'work-orders', { machine_id: machine.id, ...due })).body
  await admin.call('POST', `work-orders/${order.id}/instructions`, { title: 'Drain', body: 'the oil', step_order: 1 })
  const entity = { entity_type: 'work_order', entity_id: order.id }
  const preview = async () => (await admin.call('POST', `erp/connections/${id}/preview`, entity)).body
  const send = async () => {
    const { body } = await admin.call('POST', `erp/connections/${id}/sync`, { direction: 'outbound', ...entity })
    expect(body).toMatchObject([{ status: 'success' }])
  }

  const create = await preview()
  expect(create).toMatchObject({ action: 'create', request: { method: 'POST' } })
  expect(JSON.stringify(create.request.body)).toMatch(/Replace the bearing.*Drain: the oil/)
  await send()
  expect(lastChange(erp)).toEqual({ method: 'POST', body: create.request.body })

  await admin.call('PATCH', `work-orders/${order.id}`, { title: 'Replace both bearings' })
  const update = await preview()
  expect(update).toMatchObject({ action: 'update', request: { method: 'PATCH' } })
  await send()
  expect(lastChange(erp)).toEqual({ method: 'PATCH', body: update.request.body })
})
