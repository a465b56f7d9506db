import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { topicPrefix } from '@haltless/protocol'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { RunningHub } from '../src/hub.ts'
import { connectMqtt, loginCode, type MqttAgent, readingsOf } from './mqtt-agent.ts'
import { run } from './processes.ts'
import { type Site, useRunningHubs } from './running-hub.ts'
import { soon } from './soon.ts'

const hubs = useRunningHubs()
let one: RunningHub
let two: RunningHub
/** has no broker */
let api: RunningHub
beforeAll(async () => {
  one = await hubs.start({ HUB_ROLES: 'broker,worker' })
  two = await hubs.start({ HUB_ROLES: 'broker' })
  api = await hubs.start({ HUB_ROLES: 'api', MQTT_PUBLIC_URL: 'mqtt://mqtt.example.com' })
})

const mqttUrl = ({ mqttPort }: RunningHub) => `mqtt://127.0.0.1:${mqttPort}`

/** A client with an API key, told apart by its MQTT client id. */
const plain = (hub: RunningHub, site: Site, agentId: string, clientId: string) =>
  connectMqtt(mqttUrl(hub), topicPrefix(site.tenantId, agentId), { username: agentId, password: site.key, clientId })

/** An agent with the token of a heartbeat, told apart by its instance. */
async function agentAt(hub: RunningHub, site: Site, agentId: string, instance: string): Promise<MqttAgent> {
  const { body } = await site.heartbeat({
    agent_id: agentId,
    agent_version: '0.1.0',
    instance_id: instance,
    sources: { revision: 0, states: [] },
  })
  const { username, password, topic_prefix } = body.mqtt
  const agent = await connectMqtt(mqttUrl(hub), topic_prefix, { username, password })
  for (const topic of ['receipts', 'sources', 'directives'])
    await agent.client.subscribeAsync(`${agent.prefix}/${topic}`, { qos: 1 })
  return agent
}

/** The claims of an agent, with the hub that has them. */
const claimsOf = (site: Site, agentId: string) =>
  hubs.owner<{ hub: string; connection: string }[]>`
    select hub_id as hub, connection_id as connection from agent_connections where tenant_id = ${site.tenantId} and agent_id = ${agentId}`

/** Makes the hub that holds an agent look as if it had been silent, like one that hangs; it announces itself within two seconds. */
const silence = (site: Site, agentId: string) => hubs.owner`
  update hub_replicas r set seen_at = now() - interval '11 seconds' from agent_connections c
  where c.tenant_id = ${site.tenantId} and c.agent_id = ${agentId} and r.id = c.hub_id`

describe('hubs with a role each and embedded brokers', () => {
  it('store and answer what an agent sends to either broker; a hub without the role listens for no MQTT', async () => {
    const site = await hubs.site(api)
    for (const [i, hub] of [one, two].entries()) {
      const agent = await agentAt(hub, site, `line-${i}`, randomUUID())
      const id = await agent.send(readingsOf(site.identifier, 3, hubs.clock.now(), { metric: `metric_${i}` }))
      expect(await agent.receipt(id)).toMatchObject({ accepted_count: 3 })
    }
    expect(api.mqttPort).toBeNull()
    const { body } = await site.heartbeat({ agent_id: 'line-9', agent_version: '0.1.0' })
    expect(body.mqtt.url).toBe('mqtt://mqtt.example.com')
  })

  it('send changed sources and requests to look at a device to the agent, whichever hub holds it', async () => {
    const site = await hubs.site(api)
    const agent = await agentAt(two, site, 'line-1', randomUUID())
    const registers = [{ address: 0, metric_name: 'temperature', unit: 'celsius' }]
    const source = {
      name: 'PLC',
      machine_id: site.machineId,
      protocol: 'modbus',
      host: '127.0.0.1',
      port: 502,
      config: { agent_id: 'line-1', registers },
    }
    const created = await site.call('POST', 'ingest-sources', source)
    expect(created, JSON.stringify(created.body)).toMatchObject({ status: 201 })
    const sources = () =>
      agent.arrived.filter(({ topic }) => topic.endsWith('/sources')).map(({ payload }) => JSON.parse(payload))
    await soon(() => expect(sources().at(-1)?.sources).toHaveLength(1))
    // nobody answers the request: it is enough that it arrives
    const browsing = site.call('POST', `ingest-sources/${created.body.id}/browse`, { address: 0 })
    await soon(() => expect(sources().find(({ browse }) => browse)?.browse).toMatchObject({ source_id: created.body.id }))
    await browsing
  })

  it('are counted by doctor, with the agents that each holds', async () => {
    const site = await hubs.site(api)
    for (const hub of [one, two, two]) await plain(hub, site, `counted-${randomUUID()}`, 'x')
    const env = { DATABASE_URL: hubs.databaseUrl, SECRET_KEY: hubs.secretKey, HUB_ROLES: 'api', PORT: String(api.port) }
    const doctor = run('cloud-hub/src/main.ts', ['doctor'], env)
    onTestFinished(() => void doctor.end('SIGKILL'))
    await doctor.ended
    expect(doctor.out()).toMatch(/ok +broker +the hubs with this role have one/)
    expect(doctor.out()).toMatch(/running hubs: 3; agents connected over MQTT: [2-9] \+ [1-9] \+ 0/)
  })

  it('disconnect an agent whose credential is revoked, on every hub', async () => {
    const site = await hubs.site(api)
    const agents = [await plain(one, site, 'a', 'a'), await plain(two, site, 'b', 'b')]
    await site.call('DELETE', `settings/api-keys/${site.keyId}`)
    await soon(() => expect(agents.map((agent) => agent.isOpen())).toEqual([false, false]))
  })
})

describe('an agent_id', () => {
  it('belongs to its live holder on another hub: a second one is refused, and the fleet shows it', async () => {
    const site = await hubs.site(api)
    await site.heartbeat({ agent_id: 'plc', agent_version: '0.1.0' })
    const holder = await plain(one, site, 'plc', 'first')
    expect(await loginCode(plain(two, site, 'plc', 'second'))).toBe(2)
    await soon(async () => expect((await site.call('GET', 'agent/fleet')).body.agents[0].conflict_at).not.toBeNull())
    expect(holder.isOpen()).toBe(true)
    // no claim outlives its connection
    await holder.client.endAsync()
    await soon(async () => expect(await loginCode(plain(two, site, 'plc', 'second'))).toBe(0))
  })

  it('is taken by one of two instances that log in at two hubs at once', async () => {
    const site = await hubs.site(api)
    for (let round = 0; round < 10; round++) {
      const codes = await Promise.all([
        loginCode(plain(one, site, `r-${round}`, 'first')),
        loginCode(plain(two, site, `r-${round}`, 'second')),
      ])
      expect(codes.sort()).toEqual([0, 2])
    }
  })

  it('moves with its instance: the connection on the other hub ends, back and forth', async () => {
    const site = await hubs.site(api)
    const instance = randomUUID()
    let before = await agentAt(one, site, 'line-1', instance)
    for (const hub of [two, one, two]) {
      const former = before
      before = await agentAt(hub, site, 'line-1', instance)
      await soon(() => expect(former.isOpen()).toBe(false))
      expect(before.isOpen()).toBe(true)
      expect(await claimsOf(site, 'line-1')).toHaveLength(1)
    }
    const id = await before.send(readingsOf(site.identifier, 1, hubs.clock.now()))
    expect(await before.receipt(id)).toMatchObject({ accepted_count: 1 })
  })

  it('moves also when the notification is lost: the former hub finds that out by itself', async () => {
    const site = await hubs.site(api)
    const former = await plain(one, site, 'plc', 'same')
    // what the other hub would write; nobody is notified
    await hubs.owner`
      update agent_connections set connection_id = ${randomUUID()}, hub_id = (select id from hub_replicas where id <> hub_id and seen_at > now() - interval '5 s' limit 1)
      where tenant_id = ${site.tenantId} and agent_id = 'plc'`
    await soon(() => expect(former.isOpen()).toBe(false))
  })

  it('of a hub that no longer announces itself is free at once; when that hub wakes up, it has lost the agent', async () => {
    const site = await hubs.site(api)
    const stuck = await plain(one, site, 'plc', 'first')
    const [claim] = await claimsOf(site, 'plc')
    await soon(async () => {
      await silence(site, 'plc')
      expect(await loginCode(plain(two, site, 'plc', 'second'))).toBe(0)
    })
    const [taken] = await claimsOf(site, 'plc')
    expect(taken?.hub).not.toBe(claim?.hub)
    await soon(() => expect(stuck.isOpen()).toBe(false))
    const silent = () => hubs.owner`select from hub_replicas where seen_at < now() - interval '5 seconds'`
    await soon(async () => expect(await silent()).toHaveLength(0))
  })

  it('is claimed again by its hub after a crash of the database has emptied the table', async () => {
    const site = await hubs.site(api)
    const holder = await plain(one, site, 'plc', 'first')
    const [claim] = await claimsOf(site, 'plc')
    await hubs.owner`truncate agent_connections`
    await soon(async () => expect(await claimsOf(site, 'plc')).toEqual([claim]))
    expect(holder.isOpen()).toBe(true)
    expect(await loginCode(plain(two, site, 'plc', 'second'))).toBe(2)
  })

  it('stays with its connection while the database refuses to say whose it is, and a log-in is told to come later', async () => {
    const site = await hubs.site(api)
    const holder = await plain(one, site, 'plc', 'first')
    await hubs.owner`alter table agent_connections rename to agent_connections_away`
    const back = () => hubs.owner`alter table if exists agent_connections_away rename to agent_connections`
    onTestFinished(async () => void (await back()))
    expect(await loginCode(plain(two, site, 'other', 'second'))).toBe(3)
    await new Promise((later) => setTimeout(later, 5_000))
    expect(holder.isOpen()).toBe(true)
    await back()
    await soon(async () => expect(await loginCode(plain(two, site, 'other', 'second'))).toBe(0))
    expect(await loginCode(plain(two, site, 'plc', 'second'))).toBe(2)
  })

  it('is free soon after its connection has ended, also where the database refused to note that', async () => {
    const site = await hubs.site(api)
    const holder = await plain(one, site, 'plc', 'first')
    // a sequence counts also what is rolled back
    await hubs.owner.unsafe(`
      create sequence refused_releases;
      create function refuse_release() returns trigger language plpgsql security definer as $$
        begin perform nextval('refused_releases'); raise exception 'refused'; end $$;
      create trigger refuse_release before delete on agent_connections for each row execute function refuse_release()`)
    const permit = () => hubs.owner`drop trigger if exists refuse_release on agent_connections`
    onTestFinished(async () => void (await permit()))
    await holder.client.endAsync()
    await soon(async () => expect((await hubs.owner`select from refused_releases where is_called`).length).toBe(1))
    expect(await claimsOf(site, 'plc')).toHaveLength(1)
    expect(await loginCode(plain(two, site, 'plc', 'second'))).toBe(2)
    await permit()
    await soon(async () => expect(await loginCode(plain(two, site, 'plc', 'second'))).toBe(0))
  })

  it('is free soon after its connection has ended, also where its hub was just claiming it again', async () => {
    const site = await hubs.site(api)
    const hub = await hubs.start({ HUB_ROLES: 'broker' })
    const holder = await plain(hub, site, 'again', 'first')
    const [claim] = await claimsOf(site, 'again')
    const lockOfTest = 4242
    await hubs.owner.unsafe(`
      create function wait_for_test() returns trigger language plpgsql as $$
        begin
          perform set_config('lock_timeout', '10s', true);
          if new.agent_id = 'again' and new.instance <> 'test' then perform pg_advisory_xact_lock_shared(${lockOfTest}); end if;
          return new;
        end $$;
      create trigger wait_for_test before insert on agent_connections for each row execute function wait_for_test()`)
    onTestFinished(async () => void (await hubs.owner`drop trigger wait_for_test on agent_connections`))
    const isClaiming = () =>
      hubs.owner`select from pg_locks where locktype = 'advisory' and objid = ${lockOfTest} and not granted`
    await hubs.owner.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(${lockOfTest})`
      await hubs.owner`truncate agent_connections`
      await soon(async () => expect(await isClaiming()).toHaveLength(1))
      // so that the release, which would find nothing, can be seen
      await hubs.owner`
        insert into agent_connections (tenant_id, agent_id, hub_id, instance, connection_id)
        values (${site.tenantId}, 'again', ${claim?.hub ?? ''}, 'test', ${claim?.connection ?? ''})`
      holder.client.end(true)
      await soon(async () => expect(await claimsOf(site, 'again')).toHaveLength(0))
    })
    await soon(async () => expect(await claimsOf(site, 'again')).toHaveLength(1))
    await soon(async () => expect(await loginCode(plain(two, site, 'again', 'second'))).toBe(0))
  })

  it('keeps its holder while claims that nobody holds are removed', async () => {
    const site = await hubs.site(api)
    const holder = await plain(one, site, 'plc', 'first')
    const [claim] = await claimsOf(site, 'plc')
    await hubs.owner`update agent_connections set connected_at = now() - interval '1 hour' where agent_id = 'plc'`
    await hubs.owner`
      insert into agent_connections (tenant_id, agent_id, hub_id, instance, connection_id, connected_at)
      values (${site.tenantId}, 'left', ${claim?.hub ?? ''}, 'x', ${randomUUID()}, now() - interval '1 hour')`
    await soon(async () => expect(await claimsOf(site, 'left')).toHaveLength(0))
    expect(await claimsOf(site, 'plc')).toEqual([claim])
    expect(holder.isOpen()).toBe(true)
  })

  it('is free when its hub has stopped', async () => {
    const site = await hubs.site(api)
    const third = await hubs.start({ HUB_ROLES: 'broker' })
    const holder = await plain(third, site, 'plc', 'first')
    const [claim] = await claimsOf(site, 'plc')
    await third.stop()
    await soon(() => expect(holder.isOpen()).toBe(false))
    expect(await hubs.owner`select from agent_connections where hub_id = ${claim?.hub ?? null}`).toHaveLength(0)
    expect(await loginCode(plain(two, site, 'plc', 'second'))).toBe(0)
  })
})

describe('behind a proxy that sends the PROXY protocol', () => {
  /** 203.0.113.9:54321 */
  const HEADER = Buffer.from('0d0a0d0a000d0a515549540a2111000ccb0071090a000001d431075b', 'hex')

  it('a hub counts and records the client, over HTTP and MQTT', async () => {
    const hub = await hubs.start({ PROXY_PROTOCOL: 'on', TRUSTED_PROXIES: '127.0.0.1' })
    const send = async (port: number, bytes: Buffer | string) => {
      const socket = connect(port, '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => {})
      let received = Buffer.alloc(0)
      socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk])
      })
      socket.write(Buffer.concat([HEADER, Buffer.from(bytes)]))
      await soon(() => expect(received.length).toBeGreaterThan(0))
      return received
    }
    const site = await hubs.site(api)
    await site.call('DELETE', `settings/api-keys/${site.keyId}`)
    const post = `POST /api/v1/ingest HTTP/1.1\r\nHost: hub\r\nX-Api-Key: ${site.key}\r\nContent-Length: 0\r\n\r\n`
    expect((await send(hub.port, post)).toString()).toMatch(/^HTTP\/1\.1 401 /)
    // CONNECT with a clean session, user name and password (MQTT 3.1.1, 3.1); CONNACK of a bad log-in has return code 4
    const text = (value: string) => Buffer.concat([Buffer.from([0, value.length]), Buffer.from(value)])
    const body = Buffer.concat([text('MQTT'), Buffer.from([4, 0xc2, 0, 60]), text('raw'), text('plc'), text(site.key)])
    const connack = await send(hub.mqttPort as number, Buffer.concat([Buffer.from([0x10, body.length]), body]))
    expect(connack.toString('hex')).toBe('20020004')
    await soon(async () => {
      const rows = await hubs.owner<{ ip: string }[]>`
        select ip from audit_log where tenant_id = ${site.tenantId} and action = 'access.refused'`
      expect(rows.map(({ ip }) => ip)).toEqual(['203.0.113.9', '203.0.113.9'])
    })
  })
})
