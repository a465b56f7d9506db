import { describe, expect, it } from 'vitest'
import { plant, useHub } from './harness.ts'

const hub = useHub({ OUTBOUND_ALLOW: '127.0.0.1/32' })

describe('an id written in upper case', () => {
  it('names the same thing, and a change made through it stays readable', async () => {
    const { admin, machine } = await plant(hub)
    const config = { url: 'http://127.0.0.1:9/', signing_secret: 'at least sixteen characters' }
    const made = await admin.call('POST', 'notification-channels', { name: 'c', channel_type: 'webhook', config })
    const shouted = `notification-channels/${made.body.id.toUpperCase()}`
    const changed = await admin.call('PUT', shouted, { config: { signing_secret: 'another one, as long as that' } })
    expect(changed).toMatchObject({ status: 200, body: { id: made.body.id } })
    const again = await admin.call('PUT', `notification-channels/${made.body.id}`, { config: { signing_secret: '***' } })
    expect(again.status).toBe(200)
    const tested = await admin.call('POST', `notification-channels/${made.body.id}/test`)
    expect(tested.body).toMatchObject({ success: false, message: expect.stringContaining('connection was refused') })

    const latest = await admin.call('GET', `machines/${machine.id.toUpperCase()}/readings/latest`)
    expect(latest.body.machine_id).toBe(machine.id)
  })
})
