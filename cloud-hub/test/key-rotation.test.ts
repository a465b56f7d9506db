import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Secret } from '@haltless/edge-agent/secret'
import { generate } from 'otplib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runDoctor } from '../src/cli/doctor.ts'
import { readDatabaseKey, SecretKeyMismatch } from '../src/db/identity.ts'
import { duringKey, type Rotation, rotateSecretKey, SEALED_COLUMNS } from '../src/db/key-rotation.ts'
import { prepareDatabase } from '../src/db/migrate.ts'
import { openPools } from '../src/db/pools.ts'
import type { RunningHub } from '../src/hub.ts'
import { createSecretBox, keyMark, sealedPrefix } from '../src/support/secrets/secret-box.ts'
import { PASSWORD, useDatabase } from './harness.ts'
import { endAll, run } from './processes.ts'
import { type Site, useRunningHubs } from './running-hub.ts'
import { soon } from './soon.ts'

const hubs = useRunningHubs({ OUTBOUND_ALLOW: '127.0.0.0/8' })
const target = useDatabase()
const newKey = () => randomBytes(32).toString('base64')

/** What the tests know of the database: its key now. */
let current = ''
const keyNow = () => {
  current ||= hubs.secretKey
  return current
}

/** Runs a rotation as the command does. */
async function rotate(next: string, change: Partial<Rotation> = {}) {
  const keys = [new Secret(keyNow()), new Secret(next)] as const
  const pools = openPools(await prepareDatabase(hubs.databaseUrl, keys))
  try {
    return await rotateSecretKey({
      url: hubs.databaseUrl,
      system: pools.system,
      box: createSecretBox(keys),
      keys,
      hasOwnLogins: true,
      isUndo: false,
      progress: () => {},
      ...change,
    })
  } finally {
    await pools.close()
  }
}

/** A hub that has ended with the test. */
async function start(env: Record<string, string>): Promise<RunningHub> {
  const hub = await hubs.start(env)
  onTestFinished(() => hub.stop())
  return hub
}
const withBoth = (next: string) => start({ SECRET_KEY: keyNow(), SECRET_KEY_NEXT: next })

/** Stores a secret of each kind that a user can enter. */
async function enterSecrets(site: Site) {
  const made = async (pathname: string, body: unknown) => {
    const answer = await site.call('POST', pathname, body)
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body
  }
  await made('notification-channels', {
    name: 'Hook',
    channel_type: 'webhook',
    config: { url: 'http://127.0.0.1:9/in', signing_secret: 'swordfish-swordfish' },
  })
  const mfa = await made('auth/mfa/setup', undefined)
  const code = await generate({ secret: mfa.secret, epoch: Math.floor(hubs.clock.now().getTime() / 1000) })
  await made('auth/mfa/verify-setup', { code })
  return { recovery: mfa.recovery_codes as string[], secret: mfa.secret as string }
}

/** Whether a recovery code is accepted; it is used up. */
async function isAccepted(hub: RunningHub, email: string, code: string): Promise<boolean> {
  const post = async (pathname: string, body: unknown) =>
    fetch(`${hub.url}/api/v1/auth/${pathname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const login = (await (await post('login', { email, password: PASSWORD })).json()) as { access_token: string }
  return (await post('mfa/verify', { mfa_token: login.access_token, code })).status === 200
}

/** The generations whose logins exist for this database, from the names of their roles. */
async function generationsOfLogins(): Promise<number[]> {
  const rows = await hubs.owner<{ generation: number }[]>`
    select distinct coalesce(substring(rolname from '_[0-9]+_([0-9]+)$')::int, 1) as generation
    from pg_roles, (select oid::text as of_database from pg_database where datname = current_database()) d
    where rolname like 'haltless%' and substring(rolname from '^haltless_[a-z]+_([0-9]+)') = d.of_database
    order by 1`
  return rows.map(({ generation }) => generation)
}

/** How many secrets of all tables are encrypted under a key. */
async function sealedUnder(key: string): Promise<number> {
  const prefix = sealedPrefix(new Secret(key))
  let count = 0
  for (const { table, column } of SEALED_COLUMNS) {
    const [row] = await hubs.owner`
      select count(*)::int as n from ${hubs.owner(table)} where left(${hubs.owner(column)}, ${prefix.length}) = ${prefix}`
    count += row?.n
  }
  return count
}

describe('a change of SECRET_KEY', () => {
  it('encrypts every stored secret again while two hubs serve, and only the new key is needed afterwards', async () => {
    const next = newKey()
    const former = keyNow()
    const [one, two] = [await withBoth(next), await withBoth(next)]
    const site = await hubs.site(one)
    const { recovery } = await enterSecrets(site)
    const email = (await site.call('GET', 'auth/me')).body.email
    const before = await sealedUnder(former)
    expect(before).toBeGreaterThan(3)
    const result = await rotate(next)
    expect(result).toMatchObject({ state: 'rotated', damaged: [] })
    expect(result.reencrypted).toBe(before)
    expect(await sealedUnder(former)).toBe(0)
    // both go on, with tokens and codes of before, and encrypt under the new key
    expect((await fetch(`${two.url}/api/v1/machines`, { headers: { authorization: `Bearer ${site.token}` } })).status).toBe(200)
    expect(await isAccepted(two, email, recovery[0] as string)).toBe(true)
    await one.stop()
    current = next
    // its logins are of the new key, and those of the other hub stay until it restarts too
    const three = await start({ SECRET_KEY: next })
    expect(await isAccepted(three, email, recovery[1] as string)).toBe(true)
    expect(await isAccepted(three, email, recovery[1] as string)).toBe(false)
    expect(await isAccepted(two, email, recovery[2] as string)).toBe(true)
    expect(await generationsOfLogins()).toEqual([1, 2])
    await Promise.all([two.stop(), three.stop()])
    const four = await start({ SECRET_KEY: next })
    expect(await generationsOfLogins()).toEqual([2])
    expect((await fetch(`${four.url}/readyz`)).status).toBe(200)
    await four.stop()
    await expect(start({ SECRET_KEY: former })).rejects.toThrow(SecretKeyMismatch)
    expect(await rotate(next, { keys: [new Secret(former), new Secret(next)] })).toMatchObject({ state: 'nothing' })
  })

  it.each(['begun', 'followed', 'encrypted'] as const)(
    'that is interrupted when it is %s keeps hubs working and goes on when the command runs again',
    async (step) => {
      const next = newKey()
      const former = keyNow()
      const hub = await withBoth(next)
      const site = await hubs.site(hub)
      await enterSecrets(site)
      const killed = rotate(next, {
        afterStep: async (at) => {
          if (at === step) throw new Error('killed')
        },
      })
      await expect(killed).rejects.toThrow('killed')
      await enterSecrets(await hubs.site(hub))
      expect((await readDatabaseKey(hubs.owner))?.nextFingerprint).not.toBeNull()
      // one key is not enough meanwhile, whichever it is
      for (const key of [former, next])
        await expect(start({ SECRET_KEY: key })).rejects.toThrow(/is being changed.*SECRET_KEY_NEXT/)
      const again = await withBoth(next)
      await enterSecrets(await hubs.site(again))
      expect((await rotate(next)).state).toBe('rotated')
      expect(await sealedUnder(former)).toBe(0)
      current = next
      await Promise.all([hub.stop(), again.stop()])
      await (await start({ SECRET_KEY: next })).stop()
    },
  )

  it.each(['begun', 'encrypted'] as const)(
    'that was %s is undone completely, and then the former key alone is enough',
    async (step) => {
      const next = newKey()
      const former = keyNow()
      const hub = await withBoth(next)
      const killed = rotate(next, {
        afterStep: async (at) => {
          if (at === step) throw new Error('killed')
        },
      })
      await expect(killed).rejects.toThrow('killed')
      const site = await hubs.site(hub)
      const { recovery } = await enterSecrets(site)
      const email = (await site.call('GET', 'auth/me')).body.email
      expect((await rotate(next, { isUndo: true })).state).toBe('undone')
      expect(await sealedUnder(next)).toBe(0)
      expect(await rotate(next, { isUndo: true })).toMatchObject({ state: 'nothing' })
      await hub.stop()
      const alone = await start({ SECRET_KEY: former })
      expect(await isAccepted(alone, email, recovery[0] as string)).toBe(true)
      await alone.stop()
    },
  )

  it('that is under way goes into a backup that names both keys, and goes on after its restore, on the command line', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'haltless-rotation-'))
    onTestFinished(async () => {
      await endAll()
      rmSync(folder, { recursive: true, force: true })
    })
    const command = async (args: string[], url: string, env: Record<string, string>) => {
      const program = run('cloud-hub/src/main.ts', args, { DATA_DIR: folder, DATABASE_URL: url, LOG_LEVEL: 'silent', ...env })
      return { code: await program.ended, out: program.out(), err: program.err() }
    }
    const next = newKey()
    const former = keyNow()
    const both = { SECRET_KEY: former, SECRET_KEY_NEXT: next }
    expect((await command(['keys', 'rotate-secret'], hubs.databaseUrl, { SECRET_KEY: former })).err).toMatch(
      /^SECRET_KEY_NEXT: is not set/,
    )
    const killed = rotate(next, {
      afterStep: async (at) => {
        if (at === 'followed') throw new Error('killed')
      },
    })
    await expect(killed).rejects.toThrow('killed')
    const file = path.join(folder, 'during.backup')
    const made = await command(['backup', file, '--json'], hubs.databaseUrl, both)
    const [mark, nextMark] = [former, next].map((key) => keyMark(new Secret(key)))
    expect(JSON.parse(made.out)).toMatchObject({ holds_secret_key: false, key_marks: [mark, nextMark] })
    expect((await command(['restore', file], target.url, { SECRET_KEY: former })).err).toMatch(
      new RegExp(`needs both keys: set SECRET_KEY to ${mark} and SECRET_KEY_NEXT to ${nextMark}, and this hub has ${mark}\\.`),
    )
    expect((await command(['restore', file], target.url, both)).code).toBe(0)
    const gone = await command(['keys', 'rotate-secret'], target.url, both)
    expect([gone.code, gone.out]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(`^The database belongs to the key ${nextMark}\\. \\d+ secrets were encrypted again\\.\nNow set SECRET_KEY`),
      ),
    ])
    expect((await command(['doctor', '--json'], target.url, { SECRET_KEY: former, PORT: '0' })).out).toContain(
      'another SECRET_KEY',
    )
    expect((await command(['keys', 'rotate-secret'], target.url, both)).out).toMatch(/^Nothing to do/)
    expect((await command(['keys', 'rotate-secret', '--undo'], hubs.databaseUrl, both)).out).toContain(`${mark} as before`)
  })

  it('is refused while a running hub lacks the next key, and changes nothing', async () => {
    const next = newKey()
    const hub = await start({ SECRET_KEY: keyNow() })
    await expect(rotate(next)).rejects.toThrow(/1 of 1 running hubs do not have both keys yet/)
    expect((await readDatabaseKey(hubs.owner))?.nextFingerprint).toBeNull()
    await hub.stop()
  })

  it('and a command that may encrypt wait for each other', async () => {
    const pools = openPools(await prepareDatabase(hubs.databaseUrl, [new Secret(keyNow())]))
    onTestFinished(() => pools.close())
    await duringKey(pools.system, async () => {
      await expect(rotate(newKey())).rejects.toThrow(/Another command of this hub runs/)
    })
    const next = newKey()
    await rotate(next, {
      afterStep: async () => {
        await expect(duringKey(pools.system, async () => {})).rejects.toThrow(/is being changed by another command/)
      },
    })
    current = next
    await duringKey(pools.system, async () => {})
  })

  it('waits for a transaction that encrypted under the former key and has not committed', async () => {
    const next = newKey()
    const former = createSecretBox([new Secret(keyNow())])
    const sealed = former.seal('late', 'hub_keys/late')
    let commit = () => {}
    const open = new Promise<void>((resolve) => {
      commit = resolve
    })
    let begun = () => {}
    const inserted = new Promise<void>((resolve) => {
      begun = resolve
    })
    const late = hubs.owner.begin(async (tx) => {
      await tx`insert into hub_keys (name, public_key, sealed_private_key) values ('late', '', ${sealed})`
      begun()
      await open
    })
    await inserted
    const rotating = rotate(next)
    await soon(async () => {
      const [row] =
        await hubs.owner`select 1 from pg_stat_activity where query like '%pg_snapshot_xmin%' and pid <> pg_backend_pid()`
      expect(row).toBeDefined()
    })
    commit()
    await late
    expect(await rotating).toMatchObject({ state: 'rotated', damaged: [] })
    const [row] = await hubs.owner`delete from hub_keys where name = 'late' returning sealed_private_key as sealed`
    expect(createSecretBox([new Secret(next)]).open(row?.sealed, 'hub_keys/late')).toBe('late')
    // what appears later under the former key is found by running the command again
    await hubs.owner`insert into hub_keys (name, public_key, sealed_private_key) values ('late', '', ${sealed})`
    expect(await rotate(next)).toMatchObject({ state: 'nothing', reencrypted: 1 })
    await hubs.owner`delete from hub_keys where name = 'late'`
    current = next
  })

  it('leaves a secret that no key decrypts as it is, and names it', async () => {
    const stranger = createSecretBox([new Secret(keyNow())]).seal('x', 'another row')
    await hubs.owner`insert into hub_keys (name, public_key, sealed_private_key) values ('damaged', '', ${stranger})`
    const next = newKey()
    expect(await rotate(next)).toMatchObject({ state: 'rotated', damaged: ['hub_keys/damaged'] })
    current = next
    const [row] = await hubs.owner`select sealed_private_key as sealed from hub_keys where name = 'damaged'`
    expect(row?.sealed).toBe(stranger)
    const findings = await runDoctor({ DATABASE_URL: hubs.databaseUrl, SECRET_KEY: next, PORT: '0' })
    expect(findings.find(({ check }) => check === 'SECRET_KEY')).toMatchObject({
      state: 'warn',
      detail: expect.stringContaining(`hub_keys contain secrets that ${keyMark(new Secret(next))} does not decrypt`),
    })
    await hubs.owner`delete from hub_keys where name = 'damaged'`
  })

  it('covers every column that is encrypted', async () => {
    const columns = await hubs.owner`
      select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and column_name like 'sealed\\_%' and data_type = 'text'`
    const sorted = (list: readonly { table: string; column: string }[]) => list.map((it) => `${it.table}.${it.column}`).sort()
    expect(sorted(SEALED_COLUMNS)).toEqual(sorted(columns as never))
  })
})
