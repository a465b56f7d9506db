import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { topicPrefix } from '@haltless/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunningHub } from '../src/hub.ts'
import { connectMqtt, readingsOf } from './mqtt-agent.ts'
import { until } from './processes.ts'
import { type Site, useRunningHubs } from './running-hub.ts'
import { selfSigned } from './self-signed.ts'
import { soon } from './soon.ts'
import { documentedFiles, type Haproxy, PROXY_ADDRESS, prepareHaproxy } from './support/haproxy.ts'

const hubs = useRunningHubs({ PROXY_PROTOCOL: 'on', TRUSTED_PROXIES: PROXY_ADDRESS })
const THREE = [1, 2, 3]

/** Starts HAProxy with a file of the document before three hubs. */
async function balance(file: string, env: Record<string, string> = {}) {
  const started = await Promise.all(THREE.map(() => hubs.start(env)))
  const haproxy = await prepareHaproxy(
    file,
    started.map(({ port, mqttPort }) => ({ port, mqttPort: mqttPort as number })),
  )
  onTestFinished(() => haproxy.remove())
  await haproxy.start()
  for (const n of THREE)
    for (const backend of ['hubs', 'mqtt'])
      await until('all hubs are up', async () => (await haproxy.statusOf(backend, `hub${n}`)) === 'UP')
  return { started, haproxy }
}

const get = (url: string, ca: string) =>
  new Promise<{ status: number; hsts: string | undefined }>((resolve, reject) => {
    const agent = new Agent({ ca })
    request(url, { agent }, (answer) => {
      answer
        .resume()
        .on('end', () => resolve({ status: answer.statusCode ?? 0, hsts: answer.headers['strict-transport-security'] }))
    })
      .on('error', reject)
      .end()
  })

/** An agent through HAProxy stores a reading; the hubs name its address, and not that of HAProxy. */
async function sendThrough(haproxy: Haproxy, ca: string, site: Site, agentId: string) {
  const options = { username: agentId, password: site.key, ca }
  const agent = await connectMqtt(haproxy.mqttsUrl, topicPrefix(site.tenantId, agentId), options)
  await agent.client.subscribeAsync(`${agent.prefix}/receipts`, { qos: 1 })
  const id = await agent.send(readingsOf(site.identifier, 2, hubs.clock.now(), { metric: `of_${agentId}` }))
  expect(await agent.receipt(id)).toMatchObject({ accepted_count: 2 })
  return agent
}

/** The address in the audit trail of an API key that was tried after its end. */
async function refusedAddress(haproxy: Haproxy, ca: string, site: Site) {
  await site.call('DELETE', `settings/api-keys/${site.keyId}`)
  const options = { username: 'late', password: site.key, ca }
  await expect(connectMqtt(haproxy.mqttsUrl, topicPrefix(site.tenantId, 'late'), options)).rejects.toThrow()
  return soon(async () => {
    const [row] = await hubs.owner<{ ip: string }[]>`
      select ip from audit_log where tenant_id = ${site.tenantId} and action = 'access.refused' order by at desc limit 1`
    if (!row) throw new Error('nothing was recorded yet')
    return row.ip
  })
}

describe('the file of docs/several-hubs.md', () => {
  it('that ends TLS divides agents and requests, and shows addresses; a drained hub gets nothing new', async () => {
    const { started, haproxy } = await balance(documentedFiles().ending)
    const [first] = started as [RunningHub]
    const site = await hubs.site(first)
    const ca = haproxy.certificate
    expect(await get(`${haproxy.httpsUrl}/readyz`, ca)).toEqual({ status: 200, hsts: 'max-age=31536000; includeSubDomains' })
    await haproxy.command('set server hubs/hub1 state drain; set server mqtt/hub1 state drain')
    for (let i = 0; i < 6; i++) await sendThrough(haproxy, ca, site, `line-${i}`)
    const held = await hubs.owner<{ n: number }[]>`
      select count(*)::int as n from agent_connections where tenant_id = ${site.tenantId} group by hub_id`
    expect(held.map(({ n }) => n)).toEqual([3, 3])
    expect(await refusedAddress(haproxy, ca, site)).toBe('127.0.0.1')
  })

  it('that passes TLS through does the same', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'haltless-passing-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { cert, key } = selfSigned()
    const [TLS_CERT, TLS_KEY] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')]
    writeFileSync(TLS_CERT, cert)
    writeFileSync(TLS_KEY, key)
    const plain = await hubs.start()
    const { haproxy } = await balance(documentedFiles().passing, { TLS_CERT, TLS_KEY })
    const site = await hubs.site(plain)
    expect(await get(`${haproxy.httpsUrl}/readyz`, cert)).toMatchObject({ status: 200 })
    for (let i = 0; i < 3; i++) await sendThrough(haproxy, cert, site, `line-${i}`)
    const held = await hubs.owner<{ n: number }[]>`
      select count(*)::int as n from agent_connections where tenant_id = ${site.tenantId} group by hub_id`
    expect(held.map(({ n }) => n)).toEqual([1, 1, 1])
    expect(await refusedAddress(haproxy, cert, site)).toBe('127.0.0.1')
  })
})
