import { createHash, createHmac, createSecretKey } from 'node:crypto'
import canonicalize from 'canonicalize'
import { beforeAll, describe, expect, it } from 'vitest'
import { anchorChains, checkChains, rotateEvidenceKeys, signoffKeys } from '../src/features/work/signoffs/index.ts'
import { createLogger } from '../src/support/logger.ts'
import { type Answer, PASSWORD, type TestUser, useHub } from './harness.ts'
import { completedWork, type WorkRecordIds } from './work-record.ts'

const hub = useHub()
const path = (id: string) => `work-orders/${id}/signoffs`
const sign = (user: TestUser, id: string, password = PASSWORD) => user.call('POST', path(id), { password })
const verify = (user: TestUser, id: string, signoffId: string) => user.call('GET', `${path(id)}/${signoffId}/verify`)
const keysOf = () => signoffKeys(hub.deps.pools.system, hub.deps.box)

/** Signs again while the hub says that ten requests of the account are being checked. */
async function signPatiently(user: TestUser, id: string): Promise<Answer> {
  for (;;) {
    const answer = await sign(user, id)
    if (answer.status !== 429) return answer
    expect(answer.headers.get('retry-after')).toBe('1')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** A change by SQL as the database owner, past foreign keys and triggers. */
const tamper = (statement: string, values: unknown[] = []) =>
  hub.owner.begin(async (sql) => {
    await sql`set local session_replication_role = replica`
    await sql.unsafe(statement, values as never[])
  })

describe('a sign-off', () => {
  it('names the signer as he is at signing, and newest comes first', async () => {
    const admin = await hub.admin()
    const operator = await hub.colleague(admin, 'operator')
    const { id } = await completedWork(hub, admin)
    const one = await sign(operator, id)
    expect(one.status).toBe(201)
    expect(one.body).toMatchObject({
      work_order_id: id,
      number: 1,
      signed_by: operator.userId,
      signer_name: 'operator',
      signer_role: 'operator',
    })
    expect(one.body.signature_hash).toMatch(/^[0-9a-f]{64}$/)
    expect(one.body.created_at).toBe(one.body.signed_at)
    // also by the same person
    const two = await sign(operator, id)
    const list = await admin.call('GET', path(id))
    expect(list.body).toEqual([two.body, one.body])
    for (const { body } of [one, two])
      expect((await verify(admin, id, body.id)).body).toMatchObject({ signoff_id: body.id, is_valid: true, fault: null })
  })

  it('is HMAC-SHA256 over the canonical JSON of the record, which the row keeps', async () => {
    const admin = await hub.admin()
    const { id, attachmentIds, instructionIds } = await completedWork(hub, admin)
    const { body } = await sign(admin, id)
    const [row] = await hub.owner`select payload, key_id, signature_hash from signoffs where id = ${body.id}`
    const [key] = await hub.owner`select sealed_private_key from hub_keys where name = ${`signoff.${row?.key_id}`}`
    const secret = hub.deps.box.open(key?.sealed_private_key, `hub_keys/signoff.${row?.key_id}`)
    const hmac = createHmac('sha256', createSecretKey(Buffer.from(secret, 'base64url')))
    expect(hmac.update(row?.payload).digest('hex')).toBe(body.signature_hash)
    const payload = JSON.parse(row?.payload)
    expect(canonicalize(payload)).toBe(row?.payload)
    expect(payload).toMatchObject({
      version: 1,
      work_order: { id, title: 'Replace the bearing', status: 'completed', assignees: [{ user_id: admin.userId, position: 0 }] },
      signer: { id: admin.userId, name: 'Ada Admin', role: 'admin' },
      names: { machine: { name: 'Mill 7 Łódź' }, customer: 'Acme', people: { [admin.userId]: 'Ada Admin' } },
      signoff: { number: 1, previous_hash: null },
    })
    expect(payload.instructions.map((step: { id: string }) => step.id)).toEqual(instructionIds)
    expect(payload.attachments.map((file: { id: string }) => file.id).toSorted()).toEqual(attachmentIds.toSorted())
    for (const file of payload.attachments) expect(file.sha256).toBe(createHash('sha256').update('abc').digest('hex'))
  })

  it.each(['open', 'in_progress', 'cancelled'])('is refused on a work order that is %s', async (status) => {
    const admin = await hub.admin()
    const { id } = await completedWork(hub, admin)
    await hub.owner`update work_orders set status = ${status} where id = ${id}`
    const refused = await sign(admin, id)
    expect([refused.status, refused.body.code]).toEqual([409, 'work_order_not_completed'])
  })

  it('needs the own password: a wrong one is 403 and counts towards the lockout', async () => {
    const admin = await hub.admin()
    const { id } = await completedWork(hub, admin)
    for (let n = 0; n < 10; n++) {
      const refused = await sign(admin, id, 'Wrong-horse-7')
      expect([refused.status, refused.body.code]).toEqual([403, 'password_wrong'])
    }
    const locked = await sign(admin, id)
    expect([locked.status, locked.body.code]).toEqual([429, 'login_locked'])
    expect(locked.body.retry_after).toBeGreaterThan(1)
    expect((await admin.call('GET', path(id))).body).toEqual([])
  })

  it('is refused to a person without a password, in another tenant, and without a password in the body', async () => {
    const admin = await hub.admin()
    const { id } = await completedWork(hub, admin)
    const sso = await hub.colleague(admin, 'operator')
    await hub.owner`update users set password_hash = null where id = ${sso.userId}`
    expect((await sign(sso, id)).body.code).toBe('password_not_set')
    const stranger = await hub.admin()
    for (const call of [sign(stranger, id), stranger.call('GET', path(id)), verify(stranger, id, id)])
      expect((await call).body.code).toBe('work_order_not_found')
    expect((await admin.call('POST', path(id), {})).status).toBe(422)
    expect((await verify(admin, id, id)).body.code).toBe('signoff_not_found')
  })

  it('exists at most 20 times, also when 40 are made at once', async () => {
    const admin = await hub.admin()
    const { id } = await completedWork(hub, admin)
    const answers = await Promise.all(Array.from({ length: 40 }, () => signPatiently(admin, id)))
    const created = answers.filter(({ status }) => status === 201)
    expect(created).toHaveLength(20)
    for (const { status, body } of answers) if (status !== 201) expect([status, body.code]).toEqual([409, 'too_many_signoffs'])
    expect(created.map(({ body }) => body.number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
    for (const { body } of created) expect((await verify(admin, id, body.id)).body.is_valid).toBe(true)
  }, 60_000)

  it('stays valid when machine, tenant or people are renamed or deactivated, and when somebody comments', async () => {
    const admin = await hub.admin()
    const { id, machineId } = await completedWork(hub, admin)
    const { body } = await sign(admin, id)
    await hub.owner`update machines set name = 'Renamed', is_active = false where id = ${machineId}`
    await hub.owner`update users set full_name = 'Renamed', email = ${`${id}@example.com`}, role = 'operator' where id = ${admin.userId}`
    await hub.owner`update tenants set name = 'Renamed' where id = ${admin.tenantId}`
    await hub.owner`insert into work_order_comments (tenant_id, work_order_id, author_id, author_name, body)
      values (${admin.tenantId}, ${id}, ${admin.userId}, 'x', 'later')`
    for (const table of ['work_orders', 'work_order_instructions', 'attachments'])
      await tamper(`update ${table} set updated_at = updated_at + interval '1 day'`)
    expect((await verify(admin, id, body.id)).body.is_valid).toBe(true)
  })

  it('verifies with its old key after a rotation, and a new one uses the new key', async () => {
    const admin = await hub.admin()
    const { id } = await completedWork(hub, admin)
    const before = (await sign(admin, id)).body
    await rotateEvidenceKeys(hub.deps.pools.system, hub.deps.box)
    const after = (await sign(admin, id)).body
    const rows = await hub.owner`select key_id from signoffs where work_order_id = ${id} order by number`
    expect(rows[0]?.key_id).not.toBe(rows[1]?.key_id)
    for (const one of [before, after]) expect((await verify(admin, id, one.id)).body.is_valid).toBe(true)
    await hub.owner`update hub_keys set sealed_private_key = ${hub.deps.box.seal('forged', 'other')} where name = ${`signoff.${rows[0]?.key_id}`}`
    expect((await verify(admin, id, before.id)).body).toMatchObject({ is_valid: false, detail: expect.stringMatching(/^Key: /) })
  })

  it('ends changes: work order, instructions and deletion answer 409, comments stay possible', async () => {
    const admin = await hub.admin()
    const { id, instructionIds, attachmentIds } = await completedWork(hub, admin)
    await sign(admin, id)
    const step = `work-orders/${id}/instructions/${instructionIds[0]}`
    for (const [method, path, body] of [
      ['PATCH', `work-orders/${id}`, { title: 'Changed' }],
      ['PATCH', `work-orders/${id}`, { status: 'in_progress' }],
      ['DELETE', `work-orders/${id}`],
      ['POST', `work-orders/${id}/instructions`, { step_order: 9, title: 'Another' }],
      ['PATCH', step, { is_completed: false }],
      ['DELETE', step],
      ['DELETE', `attachments/${attachmentIds[0]}`],
    ] as const) {
      const refused = await admin.call(method, path, body)
      expect([method, path, refused.status, refused.body.code]).toEqual([method, path, 409, 'work_order_signed'])
    }
    const form = new FormData()
    form.set('file', new File(['late'], 'late.txt'))
    const upload = await hub.app.request(
      `/api/v1/attachments?work_order_id=${id}`,
      { method: 'POST', headers: { authorization: `Bearer ${admin.token}` }, body: form },
      { incoming: { socket: { remoteAddress: '192.0.2.8' } } },
    )
    expect([upload.status, await upload.json()]).toEqual([409, expect.objectContaining({ code: 'work_order_signed' })])
    expect((await admin.call('POST', `work-orders/${id}/comments`, { body: 'later' })).status).toBe(201)
    const history = (await admin.call('GET', `work-orders/${id}/history`)).body.items
    expect(history.map((entry: { event: string }) => entry.event)).toContain('signed')
    const [{ id: signoffId }] = (await admin.call('GET', path(id))).body
    expect((await verify(admin, id, signoffId)).body.is_valid).toBe(true)
  })

  it('and a change at the same moment cannot both succeed: the later one sees the earlier one', async () => {
    const admin = await hub.admin()
    for (let round = 0; round < 8; round++) {
      const { id, instructionIds } = await completedWork(hub, admin)
      const changes = [
        () => admin.call('PATCH', `work-orders/${id}`, { title: 'Changed' }),
        () => admin.call('PATCH', `work-orders/${id}/instructions/${instructionIds[0]}`, { is_completed: false }),
        () => admin.call('DELETE', `work-orders/${id}`),
      ]
      const delayed = new Promise((resolve) => setTimeout(resolve, round * 15)).then(changes[round % 3])
      const [signed, changed] = await Promise.all([sign(admin, id), delayed])
      const [row] = await hub.owner`select id, payload from signoffs where work_order_id = ${id}`
      const isDeleted = round % 3 === 2 && changed?.status === 204
      expect([200, 204, 409]).toContain(changed?.status)
      expect(signed.status).toBe(isDeleted ? 404 : 201)
      if (isDeleted) continue
      const { work_order, instructions } = JSON.parse(row?.payload)
      const isChanged = changed?.status === 200
      if (round % 3 === 0) expect(work_order.title).toBe(isChanged ? 'Changed' : 'Replace the bearing')
      if (round % 3 === 1) expect(instructions[0].completed_at === null).toBe(isChanged)
      expect((await verify(admin, id, row?.id)).body.is_valid).toBe(true)
    }
  })
})

describe('verification', () => {
  it('at the moment of a change and the first sign-off shows no work order from before the change with that sign-off', async () => {
    const user = await hub.admin()
    const { id } = await completedWork(hub, user)
    await sign(user, id)
    const [row = {}] = await hub.owner`select * from signoffs where work_order_id = ${id}`
    const [chain = {}] = await hub.owner`select * from signoff_chains where tenant_id = ${user.tenantId}`
    await tamper('delete from signoffs where work_order_id = $1', [id])
    await tamper('update work_orders set title = $1 where id = $2', ['Before', id])
    let asked: Promise<Answer> | undefined
    await hub.owner.begin(async (sql) => {
      await sql`lock table signoffs in access exclusive mode`
      asked = user.call('GET', `work-orders/${id}/signoffs/${row.id}/verify`)
      const waits = () => hub.owner`select 1 from pg_locks where not granted and relation = 'signoffs'::regclass`
      while ((await waits()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
      await sql`update work_orders set title = 'Replace the bearing' where id = ${id}`
      await sql`insert into signoffs ${sql(row)}`
      await sql`update signoff_chains set ${sql(chain)} where tenant_id = ${user.tenantId}`
    })
    expect((await asked)?.body).toMatchObject({ is_valid: true })
  })
})

describe('a change by SQL', () => {
  let admin: TestUser
  let record: WorkRecordIds
  let signoffIds: string[]
  beforeAll(async () => {
    // an owner of the database can remove checks too
    await hub.owner`alter table attachments drop constraint attachments_owner_check`
    admin = await hub.admin()
    record = await completedWork(hub, admin)
    signoffIds = [(await sign(admin, record.id)).body.id, (await sign(admin, record.id)).body.id]
  })
  const answersOf = () => Promise.all(signoffIds.map((id) => verify(admin, record.id, id)))
  const isValid = ({ status, body }: Answer) => status === 200 && body.is_valid === true

  /** another value of the same type */
  const OTHER: Record<string, string> = {
    uuid: 'gen_random_uuid()',
    text: "'x' || coalesce(COLUMN, '')",
    'timestamp with time zone': "coalesce(COLUMN, now()) + interval '1 millisecond'",
    integer: 'COLUMN + 1',
    bigint: 'COLUMN + 10',
    smallint: 'COLUMN + 10',
    jsonb: `jsonb_set(COLUMN, '{customer}', '"x"')`,
  }
  /** table, and what selects the row that changes */
  const TABLES = (): [string, string][] => [
    ['work_orders', `id = '${record.id}'`],
    ['work_order_assignees', `work_order_id = '${record.id}'`],
    ['work_order_instructions', `id = '${record.instructionIds[0]}'`],
    ['attachments', `id = '${record.attachmentIds[0]}'`],
    ['signoffs', `id = '${signoffIds[0]}'`],
  ]
  const columnsOf = (table: string) => hub.owner<{ name: string; type: string }[]>`
    select column_name as name, data_type as type from information_schema.columns where table_name = ${table} and table_schema = 'public'`

  it.each(['work_orders', 'work_order_assignees', 'work_order_instructions', 'attachments', 'signoffs'])(
    'of any column of %s makes the sign-off invalid, one at a time',
    async (table) => {
      const [, where] = TABLES().find(([name]) => name === table) as [string, string]
      for (const { name, type } of (await columnsOf(table)).filter((column) => column.name !== 'updated_at')) {
        expect((await answersOf()).map(isValid), `before ${name}`).toEqual([true, true])
        const [before] = await hub.owner.unsafe(`select ctid::text, ${name} as value from ${table} where ${where}`)
        const other = (OTHER[type] as string).replaceAll('COLUMN', name)
        const changed = await hub.owner.begin(async (sql) => {
          await sql`set local session_replication_role = replica`
          return sql.unsafe(`update ${table} set ${name} = ${other} where ${where} returning ctid::text`)
        })
        const [answer] = await answersOf()
        expect(isValid(answer as Answer), `${table}.${name}`).toBe(false)
        if (answer?.status === 200)
          expect(answer.body.detail).toMatch(/^(Record|Stored payload|Signature|Key|Payload version|Chain)/)
        await tamper(`update ${table} set ${name} = $1 where ctid = '${changed[0]?.ctid}'`, [before?.value])
      }
      expect((await answersOf()).map(isValid)).toEqual([true, true])
    },
    60_000,
  )

  it('names the changed fields', async () => {
    await tamper('update work_orders set title = $1, completion_notes = null where id = $2', ['Forged', record.id])
    const [answer] = await answersOf()
    expect(answer?.body.detail).toBe('Record: changed after signing: work_order.completion_notes, work_order.title.')
    const fields = 'work_order.completion_notes, work_order.title'
    expect(answer?.body.fault).toMatchObject({ code: 'signoff_record_changed', params: { fields }, detail: answer?.body.detail })
    await tamper('update work_orders set title = $1, completion_notes = $2 where id = $3', [
      'Replace the bearing',
      'Run-out 4 µm',
      record.id,
    ])
    expect((await answersOf()).map(isValid)).toEqual([true, true])
  })

  it.each(['work_order_assignees', 'work_order_instructions', 'attachments'])(
    'that adds or deletes a row of %s shows',
    async (table) => {
      const rows = await hub.owner.unsafe(`select * from ${table} where work_order_id = '${record.id}'`)
      await tamper(`delete from ${table} where work_order_id = '${record.id}'`)
      expect((await answersOf()).map(isValid)).toEqual([false, false])
      for (const row of rows)
        await hub.owner.begin(async (sql) => {
          await sql`set local session_replication_role = replica`
          await sql`insert into ${sql(table)} ${sql(row)}`
        })
      expect((await answersOf()).map(isValid)).toEqual([true, true])
    },
  )

  it.each([
    ['work_orders', 'due_date', "'infinity'"],
    ['work_orders', 'completed_at', "'0044-03-15 BC'"],
    ['work_order_instructions', 'completed_at', "'-infinity'"],
    ['signoffs', 'signed_at', "'290000-01-01'"],
    ['signoffs', 'names', `'{"people": {"a": 1e400}}'`],
    ['signoffs', 'names', 'names || \'{"added": 1e400}\''],
    ['signoffs', 'names', "'5'"],
    ['signoffs', 'sequence', '9223372036854775807 - number'],
    ['signoffs', 'signature_hash', 'upper(signature_hash)'],
  ])(
    'of %s.%s to %s, which no program expects, is named too, and certificate, page and command still answer',
    async (table, column, value) => {
      const user = await hub.admin()
      const { id } = await completedWork(hub, user)
      const { body } = await sign(user, id)
      await user.call('GET', `work-orders/${id}/certificate`)
      const [page] = await hub.owner`select reference from certificates where work_order_id = ${id}`
      const where = table === 'work_orders' ? 'id' : 'work_order_id'
      await tamper(`update ${table} set ${column} = ${value} where ${where} = '${id}'`)
      // with the hash, its owner changes the head of the chain too
      if (column === 'signature_hash')
        await tamper(`update signoff_chains set head_hash = upper(head_hash) where tenant_id = '${user.tenantId}'`)
      const answer = await verify(user, id, body.id)
      expect(answer.body).toMatchObject({ is_valid: false, detail: expect.stringMatching(/^(Record|Signature): /) })
      if (answer.body.detail.startsWith('Record')) expect(answer.body.detail).toMatch(new RegExp(`${column}|names`))
      expect((await user.call('GET', `work-orders/${id}/certificate`)).status).toBe(200)
      expect((await hub.call('GET', `/verify/${page?.reference}`)).body).toContain('Do not rely on the document')
      const reports = await checkChains(hub.deps.pools.system, await keysOf(), hub.deps.files)
      expect(reports.find(({ tenantId }) => tenantId === user.tenantId)?.faults).toContainEqual(
        `Work order ${id}, sign-off ${body.id}: ${answer.body.detail}`,
      )
    },
  )

  it('of the chain or its anchors to impossible values, and of a work order to nothing, ends up in the report of the command', async () => {
    const user = await hub.admin()
    const { id } = await completedWork(hub, user)
    await sign(user, id)
    await anchorChains(hub.deps.pools.system, createLogger('silent'), hub.clock.now())
    await tamper(`update signoff_chains set sequence = 9000000000000000000 where tenant_id = '${user.tenantId}'`)
    await tamper(
      `update audit_log set after = '{"sequence": "x"}' where tenant_id = '${user.tenantId}' and action = 'signoff_chain.anchored'`,
    )
    await tamper(`delete from work_orders where id = '${id}'`)
    const reports = await checkChains(hub.deps.pools.system, await keysOf(), hub.deps.files)
    expect(reports.find(({ tenantId }) => tenantId === user.tenantId)?.faults).toEqual([
      'Sign-offs 2 to 9000000000000000000 are missing: they or their whole work orders were deleted.',
      expect.stringMatching(/^Sign-off x is not the one that the audit trail recorded on /),
      `Work order ${id} was deleted; its sign-offs remain.`,
    ])
  })

  it('that deletes the first of two sign-offs, or sets the head of the chain back, ends signing with a conflict that says so', async () => {
    const user = await hub.admin()
    const [order, another] = [await completedWork(hub, user), await completedWork(hub, user)]
    await sign(user, order.id)
    await sign(user, order.id)
    await tamper('update signoff_chains set sequence = 1 where tenant_id = $1', [user.tenantId])
    const refused = { status: 409, body: { code: 'signoffs_incomplete' } }
    expect(await sign(user, another.id)).toMatchObject(refused)
    await tamper('update signoff_chains set sequence = 2 where tenant_id = $1', [user.tenantId])
    await tamper('delete from signoffs where work_order_id = $1 and number = 1', [order.id])
    expect(await sign(user, order.id)).toMatchObject(refused)
    expect((await sign(user, another.id)).status).toBe(201)
  })

  it('that deletes a sign-off, or a whole work order with its sign-offs, shows in its neighbours and in the check of the chain', async () => {
    const user = await hub.admin()
    const orders = [await completedWork(hub, user), await completedWork(hub, user), await completedWork(hub, user)]
    const ids: string[] = []
    for (const { id } of orders) ids.push((await sign(user, id)).body.id)
    const faults = async () =>
      (await checkChains(hub.deps.pools.system, await keysOf(), hub.deps.files)).find(
        ({ tenantId }) => tenantId === user.tenantId,
      )?.faults
    expect(await faults()).toEqual([])
    const gone = orders[1]?.id as string
    for (const table of ['signoffs', 'work_order_instructions', 'attachments', 'work_order_assignees'])
      await tamper(`delete from ${table} where work_order_id = '${gone}'`)
    await tamper(`delete from work_orders where id = '${gone}'`)
    const [first, , third] = await Promise.all(ids.map((id, i) => verify(user, orders[i]?.id as string, id)))
    expect(first?.body).toMatchObject({ is_valid: false, detail: expect.stringContaining('sign-off 2') })
    expect(third?.body).toMatchObject({ is_valid: false, detail: expect.stringContaining('sign-off 2') })
    expect((await faults())?.[0]).toBe('Sign-off 2 is missing: it or its whole work order was deleted.')
  })

  it('that deletes the newest sign-offs and resets the head shows in the anchors of the audit trail', async () => {
    const user = await hub.admin()
    const { id } = await completedWork(hub, user)
    const kept = (await sign(user, id)).body
    await sign(user, id)
    const logger = createLogger('silent')
    await anchorChains(hub.deps.pools.system, logger, hub.clock.now())
    const entries = () =>
      hub.owner`select 1 from audit_log where tenant_id = ${user.tenantId} and action = 'signoff_chain.anchored'`
    const [entry] = (await user.call('GET', 'audit-log?action=signoff_chain.anchored')).body.items
    expect(entry).toMatchObject({ actor: { kind: 'hub' }, after: { sequence: 2, signoffs: 2 } })
    // at most once a day, and only when the chain has grown
    await anchorChains(hub.deps.pools.system, logger, hub.clock.now())
    await sign(user, id)
    await anchorChains(hub.deps.pools.system, logger, hub.clock.now())
    expect(await entries()).toHaveLength(1)
    hub.clock.advance(86_400)
    await anchorChains(hub.deps.pools.system, logger, hub.clock.now())
    expect(await entries()).toHaveLength(2)
    await tamper(`delete from signoffs where tenant_id = '${user.tenantId}' and number > 1`)
    await tamper(`update signoff_chains set sequence = 1, head_hash = $1 where tenant_id = '${user.tenantId}'`, [
      kept.signature_hash,
    ])
    const report = (await checkChains(hub.deps.pools.system, await keysOf(), hub.deps.files)).find(
      ({ tenantId }) => tenantId === user.tenantId,
    )
    expect(report?.anchors).toBe(2)
    expect(report?.faults.join('\n')).toMatch(
      /Sign-offs 2 to 3 are missing[\s\S]*Sign-off 3 is not the one that the audit trail recorded/,
    )
  })
})
