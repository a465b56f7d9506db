import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { plant, type TestUser, useHub } from './harness.ts'

const hub = useHub()
const closedPlant = useHub({ OUTBOUND_ALLOW: '10.0.0.0/8' })
const NOBODY = '00000000-0000-4000-8000-000000000000'
const URL_ = 'https://hooks.example.com/in?x=1'

const create = (user: TestUser, config: unknown, values: Record<string, unknown> = {}) =>
  user.call('POST', 'notification-channels', { name: 'Hook', channel_type: 'webhook', config, ...values })
const put = (user: TestUser, id: string, change: unknown) => user.call('PUT', `notification-channels/${id}`, change)
const pathsOf = (answer: { body: { errors: { path: string }[] } }) => answer.body.errors.map(({ path }) => path)
/** What is stored, opened. */
async function configOf(id: string): Promise<Record<string, unknown>> {
  const [row] = await hub.owner`select tenant_id, sealed_config from notification_channels where id = ${id}`
  return JSON.parse(hub.deps.box.open(row?.sealed_config, `notification_channels/${row?.tenant_id}/${id}/config`))
}

describe('a channel', () => {
  it('is created, listed oldest first, changed and deleted', async () => {
    const admin = await hub.admin()
    const { status, body } = await create(admin, { url: URL_ })
    expect(status).toBe(201)
    expect(body).toEqual({
      version: expect.any(String),
      id: expect.any(String),
      tenant_id: admin.tenantId,
      name: 'Hook',
      channel_type: 'webhook',
      config: { url: URL_ },
      is_active: true,
      notify_on_alert: true,
      created_by: admin.userId,
      created_at: expect.any(String),
    })
    const mail = await create(
      admin,
      { to_email: 'ops@example.com' },
      { channel_type: 'email', is_active: false, notify_on_alert: false },
    )
    expect(mail.body).toMatchObject({ channel_type: 'email', is_active: false, notify_on_alert: false })
    expect((await admin.call('GET', 'notification-channels')).body).toEqual([body, mail.body])
    const changed = await put(admin, body.id, { name: 'New', is_active: false })
    expect(changed).toMatchObject({ status: 200, body: { ...body, version: expect.any(String), name: 'New', is_active: false } })
    expect(await put(admin, body.id, {})).toMatchObject({ status: 200, body: changed.body })
    expect((await admin.call('DELETE', `notification-channels/${body.id}`)).status).toBe(204)
    expect((await admin.call('GET', 'notification-channels')).body).toEqual([mail.body])
  })

  it('may be changed and deleted by a viewer, but not created', async () => {
    const admin = await hub.admin()
    const viewer = await hub.colleague(admin, 'viewer')
    const operator = await hub.colleague(admin, 'operator')
    expect((await create(viewer, { url: URL_ })).status).toBe(403)
    const { id } = (await create(operator, { url: URL_ })).body
    expect((await put(viewer, id, { name: 'Mine' })).body.name).toBe('Mine')
    expect((await viewer.call('GET', `notification-channels/${id}/deliveries`)).status).toBe(200)
    expect((await viewer.call('DELETE', `notification-channels/${id}`)).status).toBe(204)
  })

  it('of another tenant, and one that is not there, answer 404 before the body is looked at', async () => {
    const [admin, stranger] = [await hub.admin(), await hub.admin()]
    const { id } = (await create(admin, { url: URL_ })).body
    for (const other of [id, NOBODY, 'no-uuid']) {
      const at = `notification-channels/${other}`
      const answers = [
        await stranger.call('PUT', at, { name: '' }),
        await stranger.call('PUT', at, '{'),
        await stranger.call('DELETE', at),
        await stranger.call('POST', `${at}/test`),
        await stranger.call('GET', `${at}/deliveries?page_size=0`),
      ]
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [404, 'channel_not_found']))
    }
    expect((await admin.call('GET', 'notification-channels')).body).toHaveLength(1)
    expect((await stranger.call('GET', 'notification-channels')).body).toEqual([])
  })

  it('cannot be managed with an API key', async () => {
    const { key } = await plant(hub)
    const keyed = { 'x-api-key': key }
    expect((await hub.call('GET', 'notification-channels', undefined, keyed)).status).toBe(403)
    expect((await hub.call('POST', 'notification-channels', {}, keyed)).status).toBe(403)
  })

  it.each([
    ['no name', { name: undefined }, 'body.name'],
    ['an empty name', { name: '' }, 'body.name'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, 'body.name'],
    ['an unknown type', { channel_type: 'pigeon' }, 'body.channel_type'],
    ['a type that is no text', { channel_type: 1 }, 'body.channel_type'],
    ['an inherited word as type', { channel_type: 'constructor' }, 'body.channel_type'],
    ['no configuration', { config: undefined }, 'body.config'],
    ['a list as configuration', { config: [] }, 'body.config'],
    ['is_active as text', { is_active: 'yes' }, 'body.is_active'],
    ['notify_on_alert as null', { notify_on_alert: null }, 'body.notify_on_alert'],
  ])('with %s is refused', async (_name, values, path) => {
    const answer = await create(await hub.admin(), { url: URL_ }, values)
    expect(answer.status).toBe(422)
    expect(pathsOf(answer)).toEqual([path])
  })

  it('may have a name of 255 characters, counted as people do', async () => {
    const admin = await hub.admin()
    expect((await create(admin, { url: URL_ }, { name: '🏭'.repeat(200) })).status).toBe(201)
  })

  it('keeps its type', async () => {
    const admin = await hub.admin()
    const { id } = (await create(admin, { url: URL_ })).body
    expect((await put(admin, id, { channel_type: 'email' })).body.channel_type).toBe('webhook')
  })
})

describe('a webhook’s configuration', () => {
  it.each([
    ['no URL', {}, 'body.config.url'],
    ['an empty URL', { url: '' }, 'body.config.url'],
    ['no URL at all', { url: 'hooks' }, 'body.config.url'],
    ['plain HTTP', { url: 'http://hooks.example.com/' }, 'body.config.url'],
    ['another scheme', { url: 'ftp://hooks.example.com/' }, 'body.config.url'],
    ['a user in the URL', { url: 'https://me:secret@hooks.example.com/' }, 'body.config.url'],
    ['loopback', { url: 'https://127.0.0.1/' }, 'body.config.url'],
    ['loopback as a number', { url: 'https://2130706433/' }, 'body.config.url'],
    ['loopback in IPv6', { url: 'https://[::1]/' }, 'body.config.url'],
    ['loopback in disguise', { url: 'https://[::ffff:127.0.0.1]/' }, 'body.config.url'],
    ['a private address', { url: 'https://10.1.2.3/' }, 'body.config.url'],
    ['the metadata address', { url: 'https://169.254.169.254/latest' }, 'body.config.url'],
    ['a URL of 2,049 characters', { url: `https://hooks.example.com/${'x'.repeat(2_049 - 26)}` }, 'body.config.url'],
    ['a line break in a header', { url: URL_, headers: { 'X-A': 'a\r\nX-B: b' } }, 'body.config.headers'],
    ['a line break in a header’s name', { url: URL_, headers: { 'X-A\r\nX-B': 'b' } }, 'body.config.headers'],
    ['a header Host', { url: URL_, headers: { host: 'other' } }, 'body.config.headers'],
    ['a header Transfer-Encoding', { url: URL_, headers: { 'Transfer-Encoding': 'chunked' } }, 'body.config.headers'],
    ['a header of ours', { url: URL_, headers: { 'Webhook-Id': '1' } }, 'body.config.headers.Webhook-Id'],
    ['a content type', { url: URL_, headers: { 'content-type': 'text/plain' } }, 'body.config.headers.content-type'],
    ['a header that is a number', { url: URL_, headers: { 'X-A': 1 } }, 'body.config.headers.X-A'],
    ['headers as a list', { url: URL_, headers: ['X-A'] }, 'body.config.headers'],
    ['a line break in the URL', { url: 'https://hooks.example.com\n.evil/' }, 'body.config.url'],
    ['a space before the URL', { url: ' https://hooks.example.com/' }, 'body.config.url'],
    ['a backslash in the URL', { url: 'https://hooks.example.com\\@127.0.0.1/' }, 'body.config.url'],
    [
      '51 headers',
      { url: URL_, headers: Object.fromEntries([...Array(51).keys()].map((i) => [`X-${i}`, 'v'])) },
      'body.config.headers',
    ],
    ['a header twice', { url: URL_, headers: { 'X-A': 'a', 'x-a': 'b' } }, 'body.config.headers.x-a'],
    [
      'a signing secret that is no base64',
      { url: URL_, signing_secret: 'whsec_!!!!!!!!!!!!!!!!!' },
      'body.config.signing_secret',
    ],
    ['a signing secret of 7 bytes', { url: URL_, signing_secret: 'whsec_AAAAAAAAAA' }, 'body.config.signing_secret'],
    ['a key that is not known', { url: URL_, signing_secert: 'signing-secret-0001' }, 'body.config.signing_secert'],
    ['a short signing secret', { url: URL_, signing_secret: 'short' }, 'body.config.signing_secret'],
    ['a masked signing secret', { url: URL_, signing_secret: '***' }, 'body.config.signing_secret'],
    ['a masked header', { url: URL_, headers: { 'X-A': '***' } }, 'body.config.headers.X-A'],
  ])('with %s is refused', async (_name, config, path) => {
    const answer = await create(await hub.admin(), config)
    expect(answer.status).toBe(422)
    expect(pathsOf(answer)).toEqual([path])
  })

  it('may lead, also by plain HTTP, into the operator’s OUTBOUND_ALLOW and nowhere else that is private', async () => {
    const admin = await closedPlant.admin()
    expect((await create(admin, { url: 'http://10.1.2.3:8080/hook' })).status).toBe(201)
    expect((await create(admin, { url: 'https://10.1.2.3/hook' })).status).toBe(201)
    expect((await create(admin, { url: 'http://192.168.1.1/hook' })).status).toBe(422)
    expect((await create(admin, { url: 'http://127.0.0.1/hook' })).status).toBe(422)
  })

  it('is refused in a change as in a creation, and then nothing is changed', async () => {
    const admin = await hub.admin()
    const { body } = await create(admin, { url: URL_, headers: { 'X-A': 'a' } })
    for (const config of [
      { url: 'http://hooks.example.com/' },
      { url: null },
      { headers: { 'X-B': 'b\nc' } },
      { signing_secret: 'short' },
    ])
      expect((await put(admin, body.id, { name: 'Other', config })).status).toBe(422)
    expect((await admin.call('GET', 'notification-channels')).body).toEqual([body])
  })
})

describe('secrets', () => {
  const secret = {
    url: URL_,
    headers: { Authorization: 'Bearer top-secret', 'X-Plant': 'north-secret' },
    signing_secret: 'signing-secret-0001',
  }
  const masked = { url: URL_, headers: { Authorization: '***', 'X-Plant': '***' }, signing_secret: '***' }

  it('are masked in every answer and encrypted in the table', async () => {
    const admin = await hub.admin()
    const { body } = await create(admin, secret)
    expect(body.config).toEqual(masked)
    expect((await admin.call('GET', 'notification-channels')).body[0].config).toEqual(masked)
    expect((await put(admin, body.id, { name: 'Other' })).body.config).toEqual(masked)
    const [row] = await hub.owner`select * from notification_channels where id = ${body.id}`
    expect(JSON.stringify(row)).not.toMatch(/secret-0001|top-secret|north-secret/)
    expect(await configOf(body.id)).toEqual(secret)
  })

  it('sealed for one channel cannot be opened as another’s', async () => {
    const admin = await hub.admin()
    const [one, two] = [(await create(admin, secret)).body, (await create(admin, { url: URL_ })).body]
    await hub.owner`update notification_channels set sealed_config = (select sealed_config from notification_channels where id = ${one.id}) where id = ${two.id}`
    await expect(configOf(two.id)).rejects.toThrow()
    expect((await admin.call('POST', `notification-channels/${two.id}/test`)).body).toMatchObject({ success: false })
  })

  it('stay in a change: absent and *** keep, null deletes, a new value replaces', async () => {
    const admin = await hub.admin()
    const { id } = (await create(admin, secret)).body
    await put(admin, id, { config: { url: 'https://hooks.example.com/other' } })
    expect(await configOf(id)).toEqual({ ...secret, url: 'https://hooks.example.com/other' })
    await put(admin, id, { config: masked })
    expect(await configOf(id)).toEqual(secret)
    await put(admin, id, { config: { headers: { 'X-Plant': null, 'X-New': 'new' } } })
    expect(await configOf(id)).toEqual({ ...secret, headers: { Authorization: 'Bearer top-secret', 'X-New': 'new' } })
    const answer = await put(admin, id, { config: { headers: null, signing_secret: 'another-secret-2' } })
    expect(answer.body.config).toEqual({ url: URL_, signing_secret: '***' })
    expect(await configOf(id)).toEqual({ url: URL_, signing_secret: 'another-secret-2' })
  })

  it('are never sent to an address other than the one they were entered for', async () => {
    const admin = await hub.admin()
    const { id } = (await create(admin, secret)).body
    const elsewhere = { url: 'https://evil.example.com/in' }
    const all = ['body.config.headers.Authorization', 'body.config.headers.X-Plant', 'body.config.signing_secret']
    for (const config of [elsewhere, { ...masked, ...elsewhere }, { url: 'https://hooks.example.com:8443/in' }]) {
      const answer = await put(admin, id, { config })
      expect(answer.status).toBe(422)
      expect(pathsOf(answer)).toEqual(all)
    }
    const some = await put(admin, id, { config: { ...elsewhere, headers: { Authorization: 'new' }, signing_secret: null } })
    expect(pathsOf(some)).toEqual(['body.config.headers.X-Plant'])
    expect(await configOf(id)).toEqual(secret)
    const entered = { ...elsewhere, headers: { Authorization: 'new', 'X-Plant': null }, signing_secret: 'signing-secret-0002' }
    expect((await put(admin, id, { config: entered })).status).toBe(200)
    expect(await configOf(id)).toEqual({ ...entered, headers: { Authorization: 'new' } })
  })
})

describe('an e-mail channel', () => {
  it.each([
    {},
    { to_email: '' },
    { to_email: 'nobody' },
    { to_email: 'a@example.com, b@example.com' },
    { to_email: 'a@b\r\nBcc: c@d' },
    { to_email: 'A <a@example.com>' },
    { to_email: 'a@example.com;b@example.com' },
    { to_email: ['a@example.com'] },
  ])('with %j is refused', async (config) => {
    const answer = await create(await hub.admin(), config, { channel_type: 'email' })
    expect(answer.status).toBe(422)
    expect(pathsOf(answer)).toEqual(['body.config.to_email'])
  })
})

const SLACK = 'https://hooks.slack.com/services/T000/B000/secret-part'
const CONFIGS: Record<string, Record<string, unknown>> = {
  sms: { account_sid: 'AC0123', auth_token: 'secret-part', from_number: '+15005550006', to_number: '+4915112345678' },
  chat_a: { webhook_url: SLACK },
  chat_b: { webhook_url: 'https://prod.logic.azure.com/workflows/a?sig=secret-part' },
  messenger_a: { bot_token: '123:secret-part', chat_id: '-100123' },
  incident_a: { routing_key: 'secret-part' },
  incident_b: { api_key: 'secret-part', region: 'eu' },
  ticketing_a: {
    base_url: 'https://acme.atlassian.net',
    email: 'a@example.com',
    api_token: 'secret-part',
    project_key: 'OPS',
    issue_type: 'Bug',
  },
  ticketing_b: { instance_url: 'https://acme.service-now.com', username: 'u', password: 'secret-part', table: 'incident' },
}
const of = (user: TestUser, type: string, config: Record<string, unknown>) =>
  create(user, { ...CONFIGS[type], ...config }, { channel_type: type })

describe.each(Object.keys(CONFIGS))('a channel of type %s', (type) => {
  it('shows its configuration without its secrets, keeps them in a change, and never takes them elsewhere', async () => {
    const admin = await hub.admin()
    const { status, body } = await of(admin, type, {})
    expect([status, JSON.stringify(body)]).toEqual([201, expect.not.stringContaining('secret-part')])
    expect(Object.keys(body.config).sort()).toEqual(Object.keys(CONFIGS[type] ?? {}).sort())
    expect((await put(admin, body.id, { config: body.config })).status).toBe(200)
    expect(await configOf(body.id)).toEqual(CONFIGS[type])
    const moved = await put(admin, body.id, { config: { base_url: 'https://relay.example.com/x' } })
    expect([moved.status, moved.body.errors?.[0].message]).toEqual([422, expect.stringContaining('another address')])
    expect(await configOf(body.id)).toEqual(CONFIGS[type])
    const [row] = await hub.owner`select * from notification_channels where id = ${body.id}`
    expect(JSON.stringify(row)).not.toContain('secret-part')
  })

  it('refuses a private address, and each missing part by its name', async () => {
    const admin = await hub.admin()
    for (const base_url of ['https://127.0.0.1/', 'http://example.com', 'https://example.com/?a=b', 'nothing'])
      expect(pathsOf(await of(admin, type, { base_url }))).toEqual(['body.config.base_url'])
    for (const key of Object.keys(CONFIGS[type] ?? {}).filter((k) => !['region', 'issue_type', 'table'].includes(k))) {
      expect(pathsOf(await of(admin, type, { [key]: undefined }))).toEqual([`body.config.${key}`])
      expect(pathsOf(await of(admin, type, { [key]: '' }))).toEqual([`body.config.${key}`])
    }
    expect(pathsOf(await of(admin, type, { tokn: 'secret-part', base_url: 7 })).sort()).toEqual([
      'body.config.base_url',
      'body.config.tokn',
    ])
  })
})

it.each([
  ['sms', 'auth_token', 'a\nb'],
  ['ticketing_a', 'api_token', 'token\n'],
  ['ticketing_b', 'password', 'a\u0007b'],
  ['ticketing_b', 'username', 'a:b'],
])('a channel of type %s refuses a %s that Basic credentials cannot carry', async (type, key, value) => {
  expect(pathsOf(await of(await hub.admin(), type, { [key]: value }))).toEqual([`body.config.${key}`])
})

describe('the webhook of a chat', () => {
  it('is shown by its origin, and taken back as it was shown, but not for another origin', async () => {
    const admin = await hub.admin()
    const { body } = await of(admin, 'chat_a', {})
    expect(body.config).toEqual({ webhook_url: 'https://hooks.slack.com/***' })
    for (const webhook_url of ['https://hooks.slack.com/***', '***']) {
      expect((await put(admin, body.id, { config: { webhook_url } })).body.config).toEqual(body.config)
      expect(await configOf(body.id)).toEqual({ webhook_url: SLACK })
    }
    expect(pathsOf(await put(admin, body.id, { config: { webhook_url: 'https://evil.example.com/***' } }))).toEqual([
      'body.config.webhook_url',
    ])
    expect(pathsOf(await of(admin, 'chat_a', { webhook_url: 'https://hooks.slack.com/***' }))).toEqual([
      'body.config.webhook_url',
    ])
  })

  it.each(['http://hooks.slack.com/x', 'https://10.0.0.1/x', 'https://u:p@hooks.slack.com/x', 'x'])(
    'is not %s',
    async (webhook_url) => {
      expect(pathsOf(await of(await hub.admin(), 'chat_b', { webhook_url }))).toEqual(['body.config.webhook_url'])
    },
  )
})

describe('GET /notification-channels/{channel_id}/deliveries', () => {
  it('is empty for a new channel, and keeps to the limits of pages', async () => {
    const admin = await hub.admin()
    const { id } = (await create(admin, { url: URL_ })).body
    const at = `notification-channels/${id}/deliveries`
    expect((await admin.call('GET', at)).body).toEqual({
      items: [],
      pagination: { total: 0, page: 1, page_size: 20 },
      next_cursor: null,
    })
    for (const query of ['page_size=101', 'page_size=0', 'page=0', 'page=x'])
      expect((await admin.call('GET', `${at}?${query}`)).status).toBe(422)
  })

  it('shows another tenant nothing, also where attempts are', async () => {
    const [admin, stranger] = [await hub.admin(), await hub.admin()]
    const { id } = (await create(admin, { url: URL_ })).body
    const row = {
      id: randomUUID(),
      tenant_id: admin.tenantId,
      channel_id: id,
      attempt: 1,
      status: 'failed',
      attempted_at: new Date(),
    }
    await hub.owner`insert into delivery_attempts ${hub.owner(row)}`
    const at = `notification-channels/${id}/deliveries`
    expect((await admin.call('GET', at)).body.pagination.total).toBe(1)
    expect((await stranger.call('GET', at)).status).toBe(404)
  })
})
