import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { RunningHub } from '../src/hub.ts'
import { endAll, keptPort, run, until } from './processes.ts'
import { type Site, useRunningHubs } from './running-hub.ts'
import { soon } from './soon.ts'

const hubs = useRunningHubs()
let other: RunningHub
let site: Site
beforeAll(async () => {
  other = await hubs.start({ HUB_ROLES: 'api' })
  site = await hubs.site(other)
})
afterEach(endAll)

const LOCK = 460_026
/** A request and its claim last at most so long. */
const CLAIM_SECONDS = 18
const dataDir = mkdtempSync(path.join(tmpdir(), 'haltless-killed-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

/** A hub in a process of its own, on the database of the other one. */
async function startVictim() {
  const port = await keptPort()
  const settings = { HOST: '127.0.0.1', PORT: String(port), HUB_ROLES: 'api', LOG_LEVEL: 'warn' }
  const program = run('cloud-hub/src/main.ts', ['serve'], {
    ...settings,
    DATABASE_URL: hubs.databaseUrl,
    SECRET_KEY: hubs.secretKey,
    DATA_DIR: dataDir,
  })
  const url = `http://127.0.0.1:${port}`
  await until('the hub is ready', () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return { program, url }
}

const send = (url: string, key: string, body: object) =>
  fetch(`${url}/api/v1/machines`, {
    method: 'POST',
    headers: { authorization: `Bearer ${site.token}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  })

/** When a statement waits that the test stops: before the change, between change and answer, and after both. */
const MOMENTS = {
  'before the change': 'before insert on machines',
  'between the change and its answer': 'before update of status on idempotent_requests',
  'after both, before the commit': 'after update of status on idempotent_requests',
}

it.each(Object.entries(MOMENTS))(
  'a hub that is killed %s has done nothing, and the repeated request does it once',
  async (_, moment) => {
    const { owner } = hubs
    const [key, body] = [randomUUID(), { name: 'Press', machine_identifier: `m-${randomUUID()}`, protocol: 'json' }]
    const { program, url } = await startVictim()
    await owner.unsafe(`create or replace function wait_for_test() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(${LOCK}); return new; end $$;
    create trigger wait_for_test ${moment} for each row execute function wait_for_test()`)
    const lock = await owner.reserve()
    await lock`select pg_advisory_lock(${LOCK})`
    const answer = send(url, key, body).then(
      ({ status }) => status,
      () => 'cut off',
    )
    const waiting = () =>
      owner<{ pid: number }[]>`select pid from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`
    await soon(async () => expect(await waiting()).toHaveLength(1))
    await program.end('SIGKILL')
    expect(await answer).toBe('cut off')
    // PostgreSQL notices only after a statement that the connection is closed, and may commit one that no client waits for any more
    await lock`select pg_advisory_unlock(${LOCK})`
    lock.release()
    await soon(async () => expect(await waiting()).toHaveLength(0))
    await owner.unsafe(`drop trigger wait_for_test on ${moment.split(' on ')[1]}`)
    const stored = () => owner`select 1 from machines where machine_identifier = ${body.machine_identifier}`
    expect(await stored()).toHaveLength(0)

    // the key is not lost: it counts as running until the time limit of its request
    const early = await send(other.url, key, body)
    expect([early.status, ((await early.json()) as { code: string }).code]).toEqual([409, 'idempotency_key_in_use'])
    hubs.clock.advance(CLAIM_SECONDS)
    const again = await send(other.url, key, body)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null])
    const replay = await send(other.url, key, body)
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(await replay.json()).toEqual(await again.json())
    expect(await stored()).toHaveLength(1)
    hubs.clock.advance(-CLAIM_SECONDS)
  },
)
